"""Graphs go to ONNX and back without Gluon, which finds hy-onnx by its entry point."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import numpy as np
import pytest

import hy_gluon.onnx
import hy_onnx
from hy_ndarray import nd
from hy_onnx import ExportError, export_graph, import_graph, read_model
from hy_symbol import Graph, Symbol, sym
from hy_symbol.exchange import MissingOnnxError, OnnxPackage, onnx_package
from tests.onnx.runtime import outputs_of

X = np.arange(6, dtype=np.float32).reshape(2, 3)
WEIGHTS = {
    "fc_weight": np.ones((2, 3), np.float32),
    "arg:fc_bias": nd.array([1, -1]),
    "unused": np.zeros(1),
}


def dense() -> Symbol:
    return sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")


@pytest.mark.parametrize("form", [lambda symbol: symbol, lambda symbol: symbol.graph])
def test_a_graph_and_its_arrays_go_out_and_come_in(
    form: Callable[[Symbol], Symbol | Graph], tmp_path: Path
) -> None:
    path = str(tmp_path / "fc.onnx")
    assert export_graph(form(dense()), WEIGHTS, {"x": ("batch", 3)}, path) == path
    wanted = X.sum(axis=1, keepdims=True) + np.array([[1, -1]], np.float32)
    np.testing.assert_array_equal(outputs_of(path, {"x": X})[0], wanted)
    graph, arrays = import_graph(path)
    assert sorted(arrays) == ["fc_bias", "fc_weight"]
    values = {name: nd.array(value) for name, value in arrays.items()}
    np.testing.assert_array_equal(graph.eval(None, x=nd.array(X), **values)[0].asnumpy(), wanted)


def test_inputs_are_in_the_order_that_is_asked_for(tmp_path: Path) -> None:
    path = str(tmp_path / "sum.onnx")
    graph = sym.var("a") + sym.var("b") * 2
    export_graph(graph, None, [("n",), ("n",)], path, inputs=["b", "a"])
    assert read_model(path).inputs == ("b", "a")
    assert hy_onnx.get_model_metadata(path)["input_tensor_data"] == [("b", (0,)), ("a", (0,))]


def test_shapes_of_other_inputs_are_refused() -> None:
    with pytest.raises(ExportError, match=r"in_shapes: no shape of x; there is one of y"):
        export_graph(dense(), WEIGHTS, {"y": (1, 3)}, "fc.onnx")


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(ExportError, match="a Symbol or a Graph of hy-symbol is exported, not list"):
        export_graph([dense()], WEIGHTS, {"x": (1, 3)}, "fc.onnx")  # type: ignore[arg-type]  # on purpose


def test_the_entry_point_is_the_package() -> None:
    package: OnnxPackage = hy_onnx
    assert onnx_package() is package


@pytest.mark.slow
def test_hy_onnx_needs_no_gluon() -> None:
    code = "import sys, hy_onnx; print(*{'hy_gluon', 'mxnet', 'onnx'} & set(sys.modules))"
    call = [sys.executable, "-c", code]
    done = subprocess.run(call, check=True, capture_output=True, text=True)  # noqa: S603  # ours
    assert done.stdout.split() == []


@pytest.fixture
def _searched_anew() -> Iterator[None]:
    onnx_package.cache_clear()
    yield
    onnx_package.cache_clear()


@pytest.mark.usefixtures("_searched_anew")
@pytest.mark.parametrize(
    "use",
    [
        lambda: hy_gluon.onnx.export_model(dense(), {}, [(1, 3)]),
        lambda: hy_gluon.onnx.import_model("net.onnx"),
        lambda: hy_gluon.onnx.import_to_gluon("net.onnx"),
        lambda: hy_gluon.onnx.get_model_metadata("net.onnx"),
        hy_gluon.onnx.get_operator_support,
    ],
)
def test_gluon_names_the_package_that_is_missing(
    use: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: EntryPoints())
    with pytest.raises(MissingOnnxError, match=r"pip install 'hy-onnx\[onnx\]'") as caught:
        use()
    assert isinstance(caught.value, ImportError)  # as in MXNet


@pytest.mark.usefixtures("_searched_anew")
def test_a_package_that_cannot_load_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints([EntryPoint("onnx", "hy_onnx_absent", "hy.onnx")])
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: points)
    with pytest.raises(MissingOnnxError, match="hy_onnx_absent cannot load: No module named"):
        onnx_package()
