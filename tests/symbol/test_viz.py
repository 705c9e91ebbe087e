"""Pictures and tables of graphs."""

import re
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hy_ndarray import ArgumentError, ShapeError
from hy_symbol import GraphError, Symbol, sym, viz
from hy_symbol.viz.layout import arrange
from tests.symbol.nets import inception_block, resnet18

DATA = Path(__file__).parent / "data"
INPUT = {"Previous Output": (128, 3, 28, 28)}


@pytest.fixture
def resnet() -> Symbol:
    net: Symbol = resnet18(sym)
    return net


@pytest.fixture
def inception() -> Symbol:
    net: Symbol = inception_block(sym)
    return net


# --- print_summary --------------------------------------------------------------------------------


def test_the_summary_is_mxnets(resnet: Symbol, capsys: pytest.CaptureFixture[str]) -> None:
    viz.print_summary(resnet, shape={"data": (1, 3, 224, 224)})
    assert capsys.readouterr().out == (DATA / "resnet18_summary.txt").read_text()


def test_columns_and_lines_are_as_wide_as_asked(resnet: Symbol) -> None:
    shape = {"data": (1, 3, 224, 224)}
    found = viz.summary(resnet, shape, line_length=90, positions=[0.3, 0.5, 0.7, 1.0])
    assert found == (DATA / "resnet18_summary_90.txt").read_text()


def total(net: Symbol, **shape: tuple[int, ...]) -> int:
    line = viz.summary(net, shape or None).splitlines()[-2]
    return int(line.removeprefix("Total params: "))


def test_parameters_of_every_layer_are_counted() -> None:
    data = sym.var("data")
    assert total(sym.LayerNorm(data), data=(2, 5)) == 10
    assert total(sym.Embedding(data, input_dim=10, output_dim=4), data=(2, 3)) == 40
    net = sym.FullyConnected(data, num_hidden=6, flatten=False, no_bias=True)
    assert total(net, data=(2, 4, 5)) == 30
    net = sym.Deconvolution(data, kernel=(2, 2), num_filter=5, no_bias=True)
    assert total(net, data=(2, 4, 5, 5)) == 80
    net = sym.Convolution(data, kernel=(3, 3), num_filter=6, num_group=2)
    assert total(net, data=(2, 4, 5, 5)) == 6 * 2 * 9 + 6


def test_shared_parameters_are_counted_once() -> None:
    weight = sym.var("weight")
    net = sym.var("data")
    for _ in range(2):
        net = sym.FullyConnected(net, weight, num_hidden=3, no_bias=True)
    assert total(net, data=(2, 3)) == 9


def test_without_shapes_the_sizes_that_are_known_are_counted() -> None:
    data = sym.var("data", shape=(0, 5))
    text = viz.summary(sym.FullyConnected(data, num_hidden=3, name="fc"))
    assert "Total params: 18" in text
    assert "fc(FullyConnected)" in text


def test_every_given_input_has_a_row() -> None:
    net = sym.elemwise_add(sym.var("left"), sym.var("right"), name="both")
    text = viz.summary(net, {"left": (2, 3), "right": (2, 3)})
    rows = [line.split() for line in text.splitlines() if "(" in line]
    assert rows[1:] == [
        ["left(null)", "3", "0"],
        ["right(null)", "3", "0"],
        ["both(elemwise_add)", "3", "0", "left"],
    ]
    assert text.splitlines()[8].split() == ["right"]


# --- plot_network ---------------------------------------------------------------------------------


def test_the_drawing_is_mxnets(inception: Symbol) -> None:
    attrs = {"shape": "oval", "fixedsize": "false"}
    drawing = viz.plot_network(inception, shape=INPUT, node_attrs=attrs)
    assert drawing.source.strip() == (DATA / "inception_block.gv").read_text().strip()
    drawing = viz.plot_network(inception, title="block")
    assert drawing.source.strip() == (DATA / "inception_block_plain.gv").read_text().strip()


def test_a_drawing_has_a_name_and_a_format(inception: Symbol) -> None:
    drawing = viz.plot_network(inception, title="block", save_format="png")
    assert (drawing.name, drawing.format) == ("block", "png")
    assert viz.plot_network(inception).format == "pdf"


def test_without_graphviz_the_error_says_what_to_install(
    inception: Symbol, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(ImportError, match=r"pip install 'hy-symbol\[graphviz\]'"):
        viz.plot_network(inception)


def test_weights_are_drawn_if_asked() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    assert "fc_weight" not in viz.plot_network(net).source
    shown = viz.plot_network(net, hide_weights=False).source
    assert "fc -> fc_weight" in shown
    assert "fc_weight [label=fc_weight" in shown


def test_edges_show_shapes_and_dtypes() -> None:
    parts = sym.SliceChannel(sym.var("x"), num_outputs=2, name="parts")
    net = sym.exp(parts[0], name="e") * sym.log(parts[1], name="l")
    source = viz.plot_network(net, shape={"x": (2, 4, 6)}).source
    assert 'parts -> x [label="4x6"' in source
    assert 'e -> parts [label="2x6"' in source
    source = viz.plot_network(net, shape={"x": (2, 4)}, dtype={"x": "float16"}).source
    assert 'parts -> x [label="4(float16)"' in source


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (lambda x: sym.Convolution(x, kernel=(3, 3), num_filter=2), "Convolution\n3x3/1, 2"),
        (
            lambda x: sym.Convolution(x, kernel=(3,), stride=(2,), num_filter=2),
            "Convolution\n3/2, 2",
        ),
        (lambda x: sym.FullyConnected(x, num_hidden=7), "FullyConnected\n7"),
        (lambda x: sym.Pooling(x, kernel=(2, 2), pool_type="avg"), "Pooling\navg, 2x2/1"),
        (lambda x: sym.Pooling(x, global_pool=True, pool_type="max"), "Pooling\nmax, global"),
        (sym.LeakyReLU, "LeakyReLU\nleaky"),
        (lambda x: sym.softmax(x, name="s"), "s"),
    ],
)
def test_layers_say_what_matters(layer: Any, text: str) -> None:
    assert text in viz.plot_network(layer(sym.var("x"))).source


@pytest.mark.parametrize("draw", [viz.plot_network, viz.summary, viz.svg])
def test_wrong_questions_say_what_is_wrong(draw: Any) -> None:
    net = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=2, name="c")
    with pytest.raises(ArgumentError, match="the graph to draw must be a Symbol, not 3"):
        draw(3)
    with pytest.raises(GraphError, match=r"shape=\{\} is incomplete, unknown are: data, c_weight"):
        draw(net, shape={})
    with pytest.raises(ShapeError, match="Convolution 'c'"):
        draw(net, shape={"data": (1,)})
    with pytest.raises(ArgumentError, match=r"shape must be a dict by input name, not \(1, 3\)"):
        draw(net, shape=(1, 3))


# --- svg ------------------------------------------------------------------------------------------

NAMESPACE = {"s": "http://www.w3.org/2000/svg"}
Box = tuple[float, float, float, float]


def boxes(root: ET.Element) -> dict[str, Box]:
    """Left, top, right and bottom of each node's box."""
    found = {}
    for group in root.findall("s:g", NAMESPACE):
        title, rect = group.find("s:title", NAMESPACE), group.find("s:rect", NAMESPACE)
        assert title is not None
        assert rect is not None
        x, y, w, h = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        found[(title.text or "").split(" (")[0]] = (x, y, x + w, y + h)
    return found


@pytest.mark.parametrize("build", [inception_block, resnet18])
def test_boxes_do_not_overlap_and_lie_below_their_inputs(build: Any) -> None:
    net = build(sym)
    root = ET.fromstring(viz.svg(net))  # noqa: S314  # our own text
    found = boxes(root)
    shown = [node for node in net.graph.nodes if node.name in found]
    assert (
        len(found)
        == len(shown)
        == sum(n.op is not None for n in net.graph.nodes) + 1 + ("softmax_label" in found)
    )
    places = sorted(found.values(), key=lambda box: (box[1], box[0]))
    for (_, top, right, _), (left, below, _, _) in pairwise(places):
        assert top < below or right <= left
    for node in shown:
        for source, _ in node.inputs:
            if source.name in found:
                assert found[source.name][3] < found[node.name][1]
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert all(box[0] >= 0 and box[2] <= width and box[3] <= height for box in found.values())


def test_edges_begin_at_one_box_and_end_at_another(inception: Symbol) -> None:
    root = ET.fromstring(viz.svg(inception, INPUT))  # noqa: S314
    found = boxes(root)
    paths = [path.attrib["d"] for path in root.findall("s:path", NAMESPACE)]
    uses = [(s.name, n.name) for n in inception.graph.nodes for s, _ in n.inputs]
    uses = [(source, target) for source, target in uses if source in found]
    assert len(paths) == len(uses)
    for path, (source, target) in zip(paths, uses, strict=True):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
        left, _, right, bottom = found[source]
        assert left <= numbers[0] <= right
        assert numbers[1] == pytest.approx(bottom, abs=0.2)
        left, top, right, _ = found[target]
        assert left <= numbers[-2] <= right
        assert numbers[-1] == pytest.approx(top, abs=0.2)
    labels = [text.text for text in root.findall("s:text", NAMESPACE)]
    assert labels.count("3x28x28") == 5


def test_names_are_escaped() -> None:
    net = sym.relu(sym.var("<a>&b"), name='"r"')
    root = ET.fromstring(viz.svg(net))  # noqa: S314
    assert set(boxes(root)) == {"<a>&b", '"r"'}


def test_a_notebook_shows_a_symbol_as_a_drawing() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    assert net._repr_svg_() == viz.svg(net) == net.show()
    assert ">5</text>" in net.show({"data": (1, 5)})
    shown = net.show({"data": (1, 5)})._repr_svg_()  # the result of show() is shown as well
    ET.fromstring(shown)  # noqa: S314
    assert "fc_weight" in viz.svg(net, hide_weights=False)


def test_a_large_graph_is_laid_out_in_layers() -> None:
    net = sym.var("x")
    for _ in range(500):
        net = sym.relu(net) + net
    assert len(boxes(ET.fromstring(viz.svg(net)))) == 1001  # noqa: S314


def test_nothing_can_be_arranged() -> None:
    layout = arrange([], [])
    assert (layout.positions, layout.layers, layout.width) == ([], 0, 0.0)


def test_names_that_several_nodes_have_are_warned_of() -> None:
    inner = sym.FullyConnected(sym.var("data"), name="fc", num_hidden=4)
    outer = sym.FullyConnected(inner, name="fc", num_hidden=2)
    with pytest.warns(RuntimeWarning, match="with the same name in your graph.*fc_weight,fc_bias"):
        viz.plot_network(outer)
