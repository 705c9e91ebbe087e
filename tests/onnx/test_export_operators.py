"""Every operator that has a counterpart in ONNX gives in onnxruntime what it gives here."""

from typing import Any

import numpy as np
import onnx
import pytest

from hy_ndarray import ops
from hy_ndarray.testing import OpCase, values_of
from hy_ndarray.testing.cases import CASES
from hy_ndarray.testing.checks import arrays, run
from hy_onnx import ExportError, get_operator_support
from hy_onnx.model import OnnxModel
from hy_onnx.protobuf import to_proto
from hy_onnx.to_onnx.export import OPSETS, to_model
from hy_onnx.to_onnx.heads import without_heads
from hy_onnx.to_onnx.registry import COMPOSED, CONVERTERS, is_written
from hy_symbol import Graph, Node, Symbol
from hy_symbol.graph.control import CONTROL
from tests.onnx.runtime import agree, outputs_of

REFUSED = {
    ("_contrib_arange_like", "repeat"): ((), "repeats no numbers"),
    ("Dropout", "mode"): (("training",), "draws random numbers"),
    ("_npi_norm", "flag"): ((-2, -1, 1), "singular values"),
    ("_npi_pad", "mode"): (("constant", "edge", "reflect"), "ONNX pads with"),
    ("_zeros", "shape"): (((2, 3),), "open sizes of its result"),
    ("_contrib_ROIAlign", "position_sensitive"): ((), "reads all channels"),
}
"""By operator and parameter: the values that ONNX has, and what the error says of others."""

NEWEST = min(onnx.defs.onnx_opset_version(), OPSETS[-1])

WRITTEN = (13, 18, 21, 23)
"""Versions that every row is written in; the first row of each operator in the newest, too."""

UNTIL = {
    "ROIPooling": 21,
    "_contrib_ROIAlign": 21,
    "_contrib_dequantize": 27,
    "_contrib_quantize": 27,
    "_contrib_quantize_v2": 27,
    **{f"_contrib_quantized_{name}": 27 for name in ("concat", "conv", "elemwise_add")},
    **{f"_contrib_quantized_{name}": 27 for name in ("fully_connected", "pooling")},
}
"""Operators whose later versions onnxruntime does not run."""

SINCE = {
    **{f"_npi_bitwise_{name}": 18 for name in ("and", "or", "xor")},
    **{f"_npi_bitwise_{name}_scalar": 18 for name in ("and", "or", "xor")},
    "BilinearSampler": 16,
    "SpatialTransformer": 16,
    "_contrib_DeformableConvolution": 19,
    "_contrib_ModulatedDeformableConvolution": 19,
    "_contrib_fft": 17,
    "_contrib_ifft": 17,
    "col2im": 18,
}
"""Versions of ONNX that brought what operators need."""


def rows() -> list[OpCase]:
    """The rows of operators that can be written, in prediction."""
    found = [case for case in CASES if is_written(ops.find(case.op))]
    return [case for case in found if not case.is_train and not draws(case)]


def draws(case: OpCase) -> bool:
    op = ops.find(case.op)
    return op.draws(op.parse(case.params), False) and "mode" not in case.params


def refusal(case: OpCase) -> str | None:
    """What the error says of a row that cannot be written."""
    if case.op == "_npi_tril" and len(case.shapes[0] or ()) == 1:
        return "data of one axis"
    if case.op in ("_cvimresize", "_image_resize") and present(case)[0].dtype == np.uint8:
        return "uint8 pixels" if case.params.get("interp", 1) else None
    for (op, param), (fine, text) in REFUSED.items():
        value = case.params.get(param)
        if case.op == op and value not in (None, *fine):
            return text
    return None


def graph_of(case: OpCase) -> tuple[Symbol, dict[str, Any]]:
    """A row as a graph of one node, and the float32 arrays it takes, by name."""
    values = [v.astype(np.float32) if v.dtype == np.float64 else v for v in present(case)]
    feeds = {f"x{i}": value for i, value in enumerate(values)}
    op = ops.find(case.op)
    inputs = [(Node(None, name), 0) for name in feeds]
    node = Node(op, "node", inputs, op.texts(case.params), op.parse(case.params))
    return Symbol(Graph(tuple((node, i) for i in range(node.num_visible)))), feeds


def present(case: OpCase) -> list[Any]:
    return [v for v in values_of(case) if v is not None]


def results_of(case: OpCase) -> list[Any]:
    values = values_of(case)
    cast = [v if v is None or v.dtype != np.float64 else v.astype(np.float32) for v in values]
    return [y.asnumpy() for y in run(case, arrays(cast))]


def exported(symbol: Symbol, feeds: dict[str, Any], opset: int) -> OnnxModel:
    needed = [feeds[node.name] for node in without_heads(symbol.graph).variables]
    shapes = [value.shape for value in needed]
    return to_model(symbol, None, shapes, [value.dtype.name for value in needed], opset=opset)


FIRST = {id(case) for case in {case.op: case for case in reversed(rows())}.values()}


@pytest.mark.parametrize("case", rows(), ids=str)
def test_an_operator_gives_in_onnxruntime_what_it_gives_here(case: OpCase) -> None:
    symbol, feeds = graph_of(case)
    refused = refusal(case)
    if refused is not None:
        with pytest.raises(ExportError, match=rf"^{case.op} 'node': .*{refused}"):
            exported(symbol, feeds, 18)
        return
    wanted = results_of(case)
    since = 16 if case.params.get("aligned") else SINCE.get(case.op, 13)
    for opset in (*WRITTEN, NEWEST) if id(case) in FIRST else WRITTEN:
        if opset > UNTIL.get(case.op, NEWEST):
            onnx.checker.check_model(to_proto(exported(symbol, feeds, opset)), full_check=True)
        elif opset >= since or wanted[0].dtype == np.bool_:
            agree(outputs_of(exported(symbol, feeds, opset), feeds), wanted)
        else:
            with pytest.raises(ExportError, match=f"opset_version={since} or later"):
                exported(symbol, feeds, opset)


def test_converters_are_of_operators_of_the_catalogue() -> None:
    listed = [name for name in CONVERTERS if name not in CONTROL]
    assert [name for name in listed if ops.find(name).name != name] == []
    assert set(CONTROL) <= set(CONVERTERS)


def test_operators_written_as_compositions_have_no_converter_too() -> None:
    assert COMPOSED.isdisjoint(CONVERTERS)
    assert [name for name in COMPOSED if ops.find(name).composition is None] == []


def test_operators_that_can_be_written_are_listed() -> None:
    listed = get_operator_support(13)
    assert {"Convolution", "FullyConnected", "_npx_relu"} <= set(listed)
    assert {case.op for case in rows()} <= set(listed)
    with pytest.raises(
        ExportError, match=f"opset_version=12: versions 13 to {NEWEST} can be written"
    ):
        get_operator_support(12)


def test_versions_that_the_package_onnx_does_not_know_are_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(onnx.defs, "onnx_opset_version", lambda: 21)
    assert get_operator_support(21) == get_operator_support()
    with pytest.raises(ExportError, match=r"versions 13 to 21 can be written; a newer package"):
        to_model(Symbol.of((Node(None, "x"), 0)), {}, [(1,)], opset=22)
    monkeypatch.setattr(onnx.defs, "onnx_opset_version", lambda: 99)
    with pytest.raises(ExportError, match=rf"versions 13 to {OPSETS[-1]} can be written$"):
        get_operator_support(99)


def test_an_operator_without_a_converter_is_named_with_its_node() -> None:
    inputs = [(Node(None, f"x{i}"), 0) for i in range(8)]
    node = Node(ops.find("_contrib_hawkesll"), "process", inputs)
    shapes = [(1, 2), (2,), (2,), (1, 2), (1, 3), (1, 3), (1,), (1,)]
    dtypes = [np.int32 if i == 5 else np.float32 for i in range(8)]  # the marks
    with pytest.raises(ExportError, match=r"^_contrib_hawkesll 'process': .* docs/onnx\.md lists"):
        to_model(Symbol(Graph(((node, 0),))), None, shapes, dtypes)


@pytest.mark.parametrize(
    ("op", "params", "mean", "deviation"),
    [
        ("_random_uniform", {"low": -1, "high": 3, "shape": (40, 50)}, 1, 4 / 12**0.5),
        ("_random_uniform_like", {"low": 0, "high": 1}, 0.5, 1 / 12**0.5),
        ("_random_normal", {"loc": 2, "scale": 3, "shape": (40, 50)}, 2, 3),
        ("_random_normal_like", {"loc": 0, "scale": 1}, 0, 1),
        ("_random_exponential", {"lam": 4, "shape": (40, 50)}, 0.25, 0.25),
        ("_npi_uniform", {"low": None, "high": 3, "size": (40, 50)}, 2, 2 / 12**0.5),
        ("_npi_uniform_n", {"low": -1, "high": 3, "size": (40, 50)}, 1, 4 / 12**0.5),
        ("_npi_normal", {"loc": 2, "scale": None, "size": (40, 50)}, 2, 1),
        ("_npi_normal_n", {"loc": 2, "scale": 3, "size": (40, 50)}, 2, 3),
        ("_npi_exponential", {"scale": 4, "size": (40, 50)}, 4, 4),
        (
            "_npi_bernoulli",
            {"prob": 0.2, "logit": None, "is_logit": False, "size": (40, 50)},
            0.2,
            0.4,
        ),
        (
            "_npi_bernoulli",
            {"prob": None, "logit": -(4**0.5), "is_logit": True, "size": (40, 50)},
            1 / (1 + np.exp(2)),
            0.324,
        ),
    ],
)
def test_random_numbers_have_the_distribution(
    op: str, params: dict[str, Any], mean: float, deviation: float
) -> None:
    given = (40, 50) if op.endswith("like") else (50,)
    is_open = op.endswith("like") or None in (params.get("low", 0), params.get("scale", 0))
    case = OpCase(op, (given,) if is_open else (), None, params, inputs={0: np.ones(given)})
    symbol, feeds = graph_of(case)
    (y,) = outputs_of(exported(symbol, feeds, 17), feeds)
    assert y.shape == (40, 50)
    assert abs(y.mean() - mean) < 0.15 * deviation
    assert abs(y.std() - deviation) < 0.1 * deviation
