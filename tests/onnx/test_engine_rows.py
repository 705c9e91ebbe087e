"""Rows of all operators through engines: the numbers are the table's, or the table's own."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, cpu, nd, ops
from hy_ndarray.testing import OpCase, values_of
from hy_ndarray.testing.cases import CASES
from hy_symbol import Graph, Node, Symbol
from hy_symbol.regions.running import RunningRegion

ENGINES = [name for name in ("onnxruntime", "openvino") if find_spec(name)]
TOLERANCES = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-9}
LEFT = {
    "onnxruntime": {
        "_cvimresize": "whose sums are rounded",
        "_npi_norm": "norms by singular values",
    },
    "openvino": {
        "_contrib_fft": "reads complex numbers in another form",
        "_npi_logical_not": "takes 0.5 for false",
        "topk": "orders equal numbers in another way",
    },
}
"""Of some operators, why rows are left to the table."""


def rows() -> list[OpCase]:
    """The rows in prediction, but those that draw random numbers, or write to what they take."""
    found = [case for case in CASES if not case.is_train]
    return [case for case in found if is_function(ops.find(case.op), params(case))]


def is_function(op: ops.Operator, values: Any) -> bool:
    return not op.draws(values, False) and not op.updated(values, False)


def params(case: OpCase) -> Any:
    return ops.find(case.op).parse(case.params)


def graph_of(case: OpCase, dtype: str) -> tuple[Symbol, dict[str, NDArray]]:
    """A row as a graph of one node, and the arrays it takes, by name."""
    values = [v for v in values_of(case) if v is not None]
    with np.errstate(over="ignore"):
        cast = [v.astype(dtype) if v.dtype == np.float64 else v for v in values]
    arrays = {f"x{i}": nd.array(v, dtype=v.dtype) for i, v in enumerate(cast)}
    op = ops.find(case.op)
    inputs = [(Node(None, name), 0) for name in arrays]
    node = Node(op, "node", inputs, op.texts(case.params), op.parse(case.params))
    symbol = Symbol(Graph(tuple((node, i) for i in range(node.num_visible))))
    return symbol, {name: arrays[name] for name in symbol.list_inputs()}


def outputs(symbol: Symbol, arrays: dict[str, NDArray]) -> list[Any]:
    args = [arrays[name] for name in symbol.list_arguments()]
    states = [arrays[name].copy() for name in symbol.list_auxiliary_states()]
    return [y.asnumpy() for y in symbol.bind(cpu(), args, aux_states=states).forward()]


@pytest.mark.skipif("onnxruntime" not in ENGINES, reason="ONNX Runtime is not installed")
@pytest.mark.parametrize("case", rows(), ids=str)
def test_onnxruntime_computes_what_the_table_does(case: OpCase) -> None:
    check("onnxruntime", case, "float32")


def by_operator() -> list[Any]:
    """Return all rows; those after the first of an operator, which repeat it, are nightly."""
    first = {case.op: case for case in reversed(rows())}
    repeats = [() if first[case.op] is case else (pytest.mark.nightly,) for case in rows()]
    return [pytest.param(case, marks=marks) for case, marks in zip(rows(), repeats, strict=True)]


@pytest.mark.slow
@pytest.mark.skipif("openvino" not in ENGINES, reason="OpenVINO is not installed")
@pytest.mark.parametrize("case", by_operator(), ids=str)
def test_openvino_computes_what_the_table_does(case: OpCase) -> None:
    check("openvino", case, "float32")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("case", by_operator(), ids=str)
def test_an_engine_computes_with_all_floats_as_the_table_does(
    engine: str, case: OpCase, dtype: str
) -> None:
    check(engine, case, dtype)


def check(engine: str, case: OpCase, dtype: str) -> None:
    symbol, arrays = graph_of(case, dtype)
    try:
        wanted = outputs(symbol, arrays)
    except (TypeError, ValueError, RuntimeError):
        pytest.skip("not for this dtype")
    later = dict(list(arrays.items())[1:])  # constants to the engine, as parameters are
    why = LEFT[engine].get(case.op, "")
    for constants in (None, later):
        made = symbol.optimize_for(engine, constants, skip_infer=True)
        for found, want in zip(outputs(made, arrays), wanted, strict=True):
            other = 0.0 if want.dtype.name == dtype else TOLERANCES.get(want.dtype.name, 1e-5)
            agree(found, want, max(TOLERANCES[dtype], other))
        for node in made.graph.nodes:
            if node.is_region:
                left = RunningRegion.of(node, next(iter(arrays.values())).device).left()
                others = why, "elements", "int64", "float64"
                assert all(any(text in x for text in others) for x in left.values())


def agree(found: Any, wanted: Any, tolerance: float) -> None:
    """Assert that results are of one type, and equal but for how floats are added up."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    with np.errstate(invalid="ignore"):
        ours, theirs = found.astype(np.float64), wanted.astype(np.float64)
    finite = np.abs(theirs[np.isfinite(theirs)])
    scale = max(1.0, float(finite.max(initial=0)))
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale)
