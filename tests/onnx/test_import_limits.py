"""What a model computes from constants takes no more memory than files may ask for."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from hy_gluon.onnx import import_model, import_to_gluon
from hy_ndarray import nd
from hy_onnx import ImportModelError
from hy_onnx.from_onnx.constants.plan import PLANNERS

HUGE = 10**13
TABLE = np.ones((2, 3), np.float32)


def whole(*sizes: int) -> Any:
    return np.array(sizes, np.int64)


def saved(path: Path, nodes: Sequence[Any], **constants: Any) -> Path:
    """A model that adds ``x`` to what follows from constants."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    last = helper.make_node("Add", ["x", "c"], ["y"])
    weights = [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
    outputs = [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph([*nodes, last], "g", [x], outputs, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


@pytest.mark.parametrize(
    ("op", "constants"),
    [
        ("ConstantOfShape", {"shape": whole(HUGE)}),
        ("Expand", {"a": TABLE, "shape": whole(HUGE, 2, 3)}),
        ("Tile", {"a": TABLE, "repeats": whole(HUGE, 1)}),
        ("Pad", {"a": TABLE, "pads": whole(0, 0, 0, HUGE)}),
        ("Range", {"start": np.int64(0), "limit": np.int64(HUGE), "delta": np.int64(1)}),
        ("Range", {"start": whole(0), "limit": whole(HUGE), "delta": whole(1)}),
        ("OneHot", {"a": whole(1), "depth": np.int64(HUGE), "values": np.ones(2, np.float32)}),
        ("MatMul", {"a": np.ones((40_000, 1)), "b": np.ones((1, 40_000))}),
    ],
)
def test_constants_that_would_take_too_much_are_refused(
    op: str, constants: dict[str, Any], tmp_path: Path
) -> None:
    node = helper.make_node(op, [*constants], ["c"], name="here")
    constants.pop("", None)
    path = saved(tmp_path / "x.onnx", [node], **constants)
    with pytest.raises(ImportModelError, match=rf"^{op} 'here': .*HY_MAX_FILE_EXPANSION"):
        import_to_gluon(path)


def text(value: str) -> Any:
    return np.array([value], object)


@pytest.mark.parametrize(
    ("op", "constants", "attributes"),
    [
        ("ImageDecoder", {"a": np.frombuffer(b"%!PS-Adobe-3.0 EPSF-3.0", np.uint8)}, {}),
        ("RegexFullMatch", {"a": text("a" * 60)}, {"pattern": "(a+)+b"}),
        ("StringConcat", {"a": text("a"), "b": text("b")}, {}),
        ("StringNormalizer", {"a": text("a")}, {}),
        ("StringSplit", {"a": text("a b")}, {}),
        ("Cast", {"a": text("1")}, {"to": TensorProto.FLOAT}),
        ("Equal", {"a": text("a"), "b": text("b")}, {}),
        ("Identity", {"a": text("a")}, {}),
        ("MaxUnpool", {"a": TABLE, "b": whole(2, 3)}, {"kernel_shape": [2, 2]}),
    ],
)
def test_nothing_else_runs_while_a_model_is_read(
    op: str,
    constants: dict[str, Any],
    attributes: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(*_: object, **__: object) -> None:
        raise AssertionError("it runs")

    monkeypatch.setattr("onnx.reference.ReferenceEvaluator.run", run)
    node = helper.make_node(op, [*constants], ["c"], name="here", **attributes)
    path = saved(tmp_path / "x.onnx", [node], **constants)
    with pytest.raises(ImportModelError, match=rf"^{op} 'here': "):
        import_to_gluon(path)


def test_only_operators_whose_cost_is_known_are_computed_while_a_model_is_read() -> None:
    shapes = "ConstantOfShape EyeLike Expand OneHot Pad Range Tile"
    never = "ImageDecoder If Loop RegexFullMatch Scan StringConcat Unique"
    assert set(PLANNERS) > set(shapes.split())
    assert set(PLANNERS).isdisjoint(never.split())
    assert not any("Random" in name or "String" in name for name in PLANNERS)


def test_what_is_computed_again_and_again_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums of one weight are small and take time."""
    nodes = [helper.make_node("ReduceSum", ["a"], [f"c{i}"]) for i in range(100)]
    nodes.append(helper.make_node("Sum", [f"c{i}" for i in range(100)], ["c"]))
    path = saved(tmp_path / "x.onnx", nodes, a=np.ones(10_000, np.float32))
    assert import_to_gluon(path)(nd.ones(1)).asnumpy() == 1_000_001
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "100000")
    with pytest.raises(ImportModelError, match=r"^ReduceSum 'c\d+': .* take 20001 steps"):
        import_to_gluon(path)


def test_a_weight_that_every_layer_has_its_own_form_of_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {"w": np.ones((1, 4, 1), np.float32), "r": np.ones((1, 4, 1), np.float32)}
    names = ["a", *(f"t{i}" for i in range(20)), "c"]
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["a"])]
    nodes += [
        helper.make_node("LSTM", [a, "w", "r"], ["", b], hidden_size=1) for a, b in pairwise(names)
    ]
    path = saved(tmp_path / "x.onnx", nodes, shape=whole(1, 1, 1), **weights)
    import_to_gluon(path)
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "512")
    with pytest.raises(ImportModelError, match=r"^LSTM 't\d+': .*HY_MAX_FILE_EXPANSION"):
        import_to_gluon(path)


def test_names_of_bodies_inside_each_other_do_not_double(tmp_path: Path) -> None:
    graph, empty = helper.make_graph, helper.make_empty_tensor_value_info
    inner = helper.make_node("Neg", ["x"], ["y"])
    for i in range(16):
        other = graph([helper.make_node("Abs", ["x"], [f"z{i}"])], "b", [], [empty(f"z{i}")])
        body = graph([inner], "b", [], [empty(inner.output[0])])
        bodies = {"then_branch": body, "else_branch": other}
        inner = helper.make_node("If", ["p"], ["c" if i == 15 else f"y{i}"], **bodies)
    positive = helper.make_node("Greater", ["x", "zero"], ["p"])
    path = saved(tmp_path / "x.onnx", [positive, inner], zero=np.zeros(1, np.float32))
    symbol, _, _ = import_model(path)
    assert max(map(len, symbol.get_internals().list_outputs())) < 1000
    np.testing.assert_array_equal(import_to_gluon(path)(nd.ones(1)).asnumpy(), 0)


def test_matrices_of_one_weight_are_transposed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["x", *(f"t{i}" for i in range(9)), "c"]
    nodes = [helper.make_node("MatMul", [a, "w"], [b]) for a, b in pairwise(names)]
    path = saved(tmp_path / "x.onnx", nodes, w=np.ones((1, 1), np.float32))
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "8")
    assert len(import_to_gluon(path).collect_params()) == 1


@pytest.mark.parametrize(
    ("op", "constants", "attributes", "error"),
    [
        ("Split", {"a": TABLE}, {"num_outputs": HUGE}, f"{HUGE} parts for 1 outputs"),
        ("Reshape", {"a": TABLE, "b": np.ones(10**5, np.int64)}, {}, "100000 numbers are too many"),
        ("Tile", {"a": TABLE, "b": np.ones(10**5, np.int64)}, {}, "100000 numbers are too many"),
        ("CumSum", {"a": np.float32(1), "b": np.int64(0)}, {}, "data must have an axis"),
    ],
)
def test_planning_takes_no_longer_than_reading_the_node(
    op: str, constants: dict[str, Any], attributes: dict[str, Any], error: str, tmp_path: Path
) -> None:
    node = helper.make_node(op, [*constants], ["c"], name="here", **attributes)
    path = saved(tmp_path / "x.onnx", [node], **constants)
    with pytest.raises(ImportModelError, match=rf"^{op} 'here': .*{error}"):
        import_to_gluon(path)


def test_open_sizes_do_not_grow_without_end(tmp_path: Path) -> None:
    """Sizes are numbers of Python, and lists of them double."""
    square = [helper.make_node("Mul", [f"s{i}", f"s{i}"], [f"s{i + 1}"]) for i in range(50)]
    double = [helper.make_node("Concat", [f"s{i}"] * 2, [f"s{i + 1}"], axis=0) for i in range(50)]
    for nodes, error in ((square, "cannot be a size"), (double, "HY_MAX_FILE_EXPANSION")):
        first = helper.make_node("Shape", ["x"], ["s0"])
        last = helper.make_node("Reshape", ["x", "s50"], ["y"])
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3])
        y = helper.make_empty_tensor_value_info("y")
        graph = helper.make_graph([first, *nodes, last], "g", [x], [y])
        onnx.save(helper.make_model(graph), tmp_path / "x.onnx")
        with pytest.raises(ImportModelError, match=error):
            import_to_gluon(tmp_path / "x.onnx")


def test_all_that_is_computed_counts_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = [helper.make_node("Neg", [x], [y]) for x, y in pairwise("abc")]
    path = saved(tmp_path / "x.onnx", nodes, a=np.ones(1000, np.float32))
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "4000")  # besides the 4000 of the weights
    np.testing.assert_array_equal(import_to_gluon(path)(nd.ones(1)).asnumpy(), 2)
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "3999")
    with pytest.raises(ImportModelError, match=r"^Neg 'c': .* take 4000 bytes"):
        import_to_gluon(path)


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.onnx", [helper.make_node("Neg", ["first"], ["c"])], first=TABLE[0])
    content = path.read_bytes()
    for name in (b"first", b"Neg", b"y"):
        path.write_bytes(content.replace(name, b"\xff" * len(name)))
        with pytest.raises(ImportModelError):
            import_to_gluon(path)
    path.write_bytes(content.replace(b"first", b"\xffirst", 1))
    with pytest.raises(ImportModelError, match=r"x\.onnx: is damaged: a name is not in UTF-8"):
        import_to_gluon(path)


def test_an_input_that_an_operator_needs_is_missed(tmp_path: Path) -> None:
    inputs = ["x", "s", "", "s", "s"]
    node = helper.make_node("BatchNormalization", inputs, ["c"], name="here")
    path = saved(tmp_path / "x.onnx", [node], s=np.ones(1, np.float32))
    with pytest.raises(ImportModelError, match=r"^BatchNormalization 'here': "):
        import_to_gluon(path)
