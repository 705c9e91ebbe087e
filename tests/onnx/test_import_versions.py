"""Every operator that is read means what it meant at each version of it, with attributes or not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import version_converter
from onnx.defs import OpSchema
from onnx.reference import ReferenceEvaluator

from hy_gluon.files import array_of
from hy_onnx import ImportModelError
from hy_onnx.from_onnx.conversion import imported
from hy_onnx.from_onnx.registry import READERS
from hy_onnx.protobuf import from_proto
from hy_symbol import Symbol
from tests.onnx.layer_rows import ROWS as LAYERS
from tests.onnx.node_rows import ROWS as NODES
from tests.onnx.nodes import Row, case_of, history, opened

pytestmark = pytest.mark.filterwarnings("ignore")  # of the reference, about what it divides by

ELSEWHERE = {
    "Bernoulli RandomNormal RandomNormalLike RandomUniform RandomUniformLike": "draw numbers",
    "If Loop Scan": "test_import_control.py",
    "DeformConv NonMaxSuppression": "test_import_detection.py, test_import_nodes.py",
    "QLinearConv QLinearMatMul": "test_import_quantized.py",
}
"""Operators without rows, and where they are tested."""

REFUSED = {
    "AveragePool": "dilations",
    "GridSample": "samples linearly",
    "LRN": "odd number",
    "LpPool": "dilations",
    "MaxPool": "dilations",
    "Resize": "enlarges by whole factors|no whole sizes",
    "RoiAlign": "averages",
    "Upsample": "enlarges by whole factors",
}
"""What the errors of rows say that the catalogue cannot express."""

FIRST_OF_ORT = 7
DTYPES = ("float16", "float64", "int8", "uint8", "int32", "int64")
SCALES = ("scales", "x_scale", "y_scale")

WRONG_REFERENCE: dict[str, str] = {
    **dict.fromkeys(("GRU", "LSTM", "RNN"), "it does not know lengths of sequences"),
    "Gemm": "of integers it gives floats",
    "GlobalMaxPool": "it takes an axis away where there is no image",
    "LRN": "it looks at as many channels as there are items in the batch",
}
"""Operators that onnxruntime alone is compared with."""

NEAR = {
    "GRU": 3e-2,  # in float16 the order of sums shows after some steps
    "Resize": 1.0,  # of integers: what is just below the next one is cut off
}
"""How far numbers of a dtype that is coarse may be off, where it is more than a hundredth."""


@cache
def rows_of(op: str) -> list[Row]:
    return [row for row in (*NODES, *LAYERS) if row.op == op]


def by_onnxruntime(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return list(session.run(None, dict(feeds)))


def oracles(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> Iterator[Any]:
    """What gives the numbers of a model: the first that can."""
    old = model.opset_import[0].version < FIRST_OF_ORT
    if old:
        for version in (8, 13):
            yield lambda v=version: by_onnxruntime(
                version_converter.convert_version(model, v), feeds
            )
    else:
        yield lambda: by_onnxruntime(model, feeds)
    if model.graph.node[0].op_type not in {
        name for names in WRONG_REFERENCE for name in names.split()
    }:
        yield lambda: [np.asarray(y) for y in ReferenceEvaluator(model).run(None, dict(feeds))]
    if old:
        yield lambda: by_onnxruntime(model, feeds)


def expected(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> list[Any] | None:
    for oracle in oracles(model, feeds):
        try:
            return list(oracle())
        except Exception:  # noqa: BLE001, S112, RUF100  # it cannot run this version
            continue
    return None


def found(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> list[Any]:
    result = imported(from_proto(model))
    given = {**feeds, **result.weights}
    wanted = [node.name for node in result.graph.variables]
    arrays = {name: array_of(np.asarray(given[name])) for name in wanted}
    return [y.asnumpy() for y in Symbol(result.graph).eval(None, **arrays)]


def differs(ours: list[Any], theirs: list[Any], coarse: float = 1e-2) -> str:
    """How results differ; empty if they do not."""
    for a, b in zip(ours, theirs, strict=True):
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            return f"{a.dtype} {a.shape} instead of {b.dtype} {b.shape}"
        near = 1e-4 if a.dtype in (np.float32, np.float64) else coarse
        wide = a.astype(np.float64), b.astype(np.float64)
        if not np.allclose(*wide, rtol=near, atol=near, equal_nan=True):
            return f"{a.ravel()[:8]} instead of {b.ravel()[:8]}"
    return ""


def compared(row: Row, schema: OpSchema, *, known: bool) -> str:
    """What became of a row: nothing to compare, refused, right, or a difference."""
    model, feeds = case_of(row, schema, known=known)
    theirs = expected(model, feeds)
    try:
        ours = found(model, feeds)
    except ImportModelError as error:
        expects = re.search(REFUSED.get(row.op, "(?!)"), str(error))
        return "refused" if theirs is None or expects else f"refused: {error}"
    if theirs is None:
        return "no oracle"
    return differs(ours, theirs, NEAR.get(row.op, 1e-2)) or "right"


def test_every_operator_that_is_read_has_rows() -> None:
    elsewhere = {name for names in ELSEWHERE for name in names.split()}
    known = {name for name in READERS if "." not in name} - elsewhere
    assert {op for op in known if not rows_of(op)} == set()


@pytest.mark.parametrize("op", sorted({row.op for row in (*NODES, *LAYERS)}))
def test_an_operator_means_the_same_at_every_version(op: str) -> None:
    """Also where all its inputs are constants, which are computed while the model is read."""
    outcomes = {}
    for schema, row, known in product(history()[op], rows_of(op), (False, True)):
        since = schema.since_version
        if not schema.deprecated and row.since <= since <= row.until and (row.feeds or not known):
            outcomes[f"{row} {since} {known}"] = compared(row, schema, known=known)
    wrong = {k: v for k, v in outcomes.items() if v not in ("right", "refused", "no oracle")}
    assert wrong == {}
    assert "right" in outcomes.values()


@pytest.mark.parametrize("op", sorted({row.op for row in (*NODES, *LAYERS)}))
def test_an_operator_means_the_same_on_open_sizes_or_is_refused(op: str) -> None:
    schema = history()[op][-1]
    rows = [row for row in rows_of(op) if row.feeds and row.since <= schema.since_version]
    for row, channels in product(rows, (False, True)):
        model, feeds = case_of(row, schema, known=False)
        theirs = expected(model, feeds)
        first = opened(model, feeds, channels=channels)
        try:
            ours = found(model, first)
        except ImportModelError:
            continue
        assert theirs is None or differs(ours, theirs) == "", str(row)


def cast(value: Any, dtype: str) -> Any:
    """Floats in another dtype, as numbers that differ in it."""
    value = np.asarray(value)
    if value.dtype != np.float32:
        return value
    if dtype.startswith("float"):
        return value.astype(dtype)
    return ((np.abs(value) if dtype == "uint8" else value) * 3).astype(dtype)


def takes(schema: OpSchema, row: Row, dtype: str) -> bool:
    """Whether a version takes a dtype for the inputs that were floats."""
    name = "double" if dtype == "float64" else dtype
    allowed = {each.type_param_str: each.allowed_type_strs for each in schema.type_constraints}
    at = [i for i, x in enumerate(row.feeds) if np.asarray(x).dtype == np.float32]
    if not at:
        return False
    kind = schema.inputs[min(at[0], len(schema.inputs) - 1)].type_str
    return f"tensor({name})" in allowed.get(kind, [kind])


@pytest.mark.parametrize("op", sorted({row.op for row in (*NODES, *LAYERS)}))
def test_an_operator_means_the_same_in_every_dtype(op: str) -> None:
    schema = history()[op][-1]
    if schema.deprecated:
        return
    outcomes = {}
    for row, dtype in product(rows_of(op), DTYPES):
        if row.since <= schema.since_version <= row.until and takes(schema, row, dtype):
            feeds = tuple(cast(x, dtype) for x in row.feeds)
            arrays = {k: v for k, v in row.params.items() if isinstance(v, np.ndarray | np.generic)}
            changed = {k: cast(v, dtype) for k, v in arrays.items() if k not in SCALES}
            other = replace(row, feeds=feeds, params={**row.params, **changed})
            outcomes[str(other)] = compared(other, schema, known=False)
    wrong = {k: v for k, v in outcomes.items() if v not in ("right", "refused", "no oracle")}
    assert wrong == {}


FUNCTIONS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Pow": np.power,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
}


@pytest.mark.parametrize(("op", "known"), [*product(FUNCTIONS, (False, True))])
def test_axes_of_a_second_operand_began_at_an_axis(op: str, known: bool) -> None:
    a, b = np.linspace(0.5, 3, 24).reshape(2, 3, 4), np.linspace(1, 2, 3)
    dtype = np.float32 if op in ("Add", "Sub", "Mul", "Div", "Pow") else np.bool_
    a, b = (np.asarray(x > 1.5 if dtype is np.bool_ else x, dtype) for x in (a, b))
    row = Row(op, (a, b), {"broadcast": 1, "axis": 1})
    wanted = FUNCTIONS[op](a, b[:, None])
    for schema in history()[op]:
        if schema.since_version < FIRST_OF_ORT:
            (y,) = found(*case_of(row, schema, known=known))
            np.testing.assert_allclose(y, wanted, rtol=1e-6)
