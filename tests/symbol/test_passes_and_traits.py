"""Passes go by the traits of operators: each treats every operator that has its trait."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_ndarray import Device, cpu, device_of, ops
from hy_symbol import Program, Symbol, explained, sym
from tests.ops.case_rows import CASES
from tests.ops.op_case import OpCase
from tests.ops.trait_checks import values_of

Array = npt.NDArray[Any]


def here() -> Device:
    """The CPU, as it is served now."""
    return device_of(cpu())


def applied(case: OpCase) -> tuple[Symbol, list[Array]]:
    """The first result of a row's operator, doubled, with the values of its variables."""
    op, values = ops.find(case.op), values_of(case)
    variables = [None if v is None else sym.var(f"x{i}") for i, v in enumerate(values)]
    result = Symbol.apply_operator(op, variables, op.parse(case.params))
    net = (result[0] if isinstance(result, list) else result) * 2
    given = {f"x{i}": v for i, v in enumerate(values)}
    return net, [given[name] for name in net.list_inputs()]


def planned(net: Symbol, arrays: Sequence[Array]) -> Program:
    known = [(x.shape, x.dtype.name) for x in arrays]
    return Program.of(net.graph, here(), known, is_train=False)


def unplanned(net: Symbol) -> Program:
    inputs = [(node, 0) for node in net.graph.variables]
    return Program(inputs, net.graph.outputs, here(), is_train=False)


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if ops.find(c.op).traits.view or ops.find(c.op).traits.identity],
    ids=str,
)
def test_a_view_or_an_identity_costs_nothing(case: OpCase) -> None:
    net, arrays = applied(case)
    program = planned(net, arrays)
    (result,), (wanted,) = (run(*(x.copy() for x in arrays)) for run in (program, unplanned(net)))
    np.testing.assert_array_equal(result, wanted)
    alike = (wanted.shape, wanted.dtype) == (arrays[0].shape, arrays[0].dtype)
    if wanted.size and (alike or ops.find(case.op).traits.view):
        assert next(row.how for row in explained(program).rows) in ("view", "same")
