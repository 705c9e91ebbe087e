"""Kernels that write over an operand, or to memory they are given, and kernels that return one."""

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from hy_ndarray import Device, cpu, device_of, ops, random, use_kernels
from hy_ndarray.ops import Operator, TensorType
from hy_ndarray.testing import OpCase, drawn
from hy_ndarray.testing.cases import CASES

FLOATS = ("float32", "float64")
REALS = (*FLOATS, "float16", "bfloat16")


def here() -> Device:
    """The CPU, as it is served now."""
    return device_of(cpu())


TABLES = ["numpy", *(["torch"] if find_spec("torch") else [])]
MAKES_ITS_OWN = {("torch", "Convolution"), ("torch", "Pooling")}
"""Layers whose results come from functions of torch that take no memory."""
NUMBERED = {("torch", "RNN", True)}
"""Layers whose reserve holds the number of what oneDNN keeps beside it, another one each time."""


@pytest.fixture(autouse=True)
def _on(table: str) -> Iterator[None]:
    with use_kernels(table):
        yield


def rows(about: Callable[[OpCase], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Run a test on these rows of each table."""
    found = []
    for table in TABLES:
        with use_kernels(table):
            found += [pytest.param(table, x, id=f"{table}-{x}") for x in CASES if about(x)]
    return pytest.mark.parametrize(("table", "case"), found)


def buffers(values: Sequence[Any]) -> tuple[Any, ...]:
    """Buffers of the table in the memory of arrays."""
    memory, handle = here().memory, here().handle
    return tuple([None if v is None else memory.from_dlpack(v, handle) for v in values])


def call(op: Operator, case: OpCase, values: list[Any], **more: Any) -> tuple[Any, ...]:
    """All that the kernel returns, as arrays in its memory."""
    if "out" in more:
        more["out"] = buffers(more["out"])
    random.seed(1)
    extra = {"is_train": case.is_train, "rng": random.generator(here()), "device": here().handle}
    needed = {name: extra[name] for name in op.needs}
    kernel = op.kernel_on(here(), is_train=case.is_train)
    found = kernel(*buffers(values), **op.parse(case.params), **needed, **more)
    results = found if isinstance(found, tuple) else (found,)
    return tuple([here().memory.to_numpy(result) for result in results])


def plannable(op: Operator, case: OpCase, values: list[Any]) -> list[int]:
    """Operands of the type of the result, if graphs may write it over one of them."""
    if type(op) is not Operator or not here().kernels.record(op.kernel).pointwise:
        return []
    params = op.parse(case.params)
    types = [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]
    results = op.infer(types, params)
    result = results[0]
    if len(results) > 1 or result.dtype not in REALS or op.updated(params, case.is_train):
        return []
    return [
        i
        for i, v in enumerate(values)
        if v is not None and (v.shape, v.dtype.name) == (result.shape, result.dtype)
    ]


def in_dtype(case: OpCase, dtype: str, rng: np.random.Generator) -> list[Any]:
    with np.errstate(over="ignore"):
        return [
            v if v is None or v.dtype.kind != "f" else v.astype(dtype) for v in drawn(case, rng)
        ]


def writes_over(case: OpCase) -> bool:
    values = in_dtype(case, "float32", np.random.default_rng(0))
    return bool(plannable(ops.find(case.op), case, values))


def takes_one_shape(case: OpCase) -> bool:
    values = drawn(case, np.random.default_rng(0))
    shapes = {v.shape for v in values if v is not None}
    able = len(plannable(ops.find(case.op), case, values)) == len(values)
    return able and len(shapes) == 1 and bool(values[0].size)


def planned() -> list[str]:
    """The dtypes whose values graphs on the table plan memory for."""
    return [dtype for dtype in REALS if dtype in here().limits.dtypes]


def takes_memory(case: OpCase) -> bool:
    op = ops.find(case.op)
    return type(op) is Operator and here().kernels.record(op.kernel).out in ("apart", "first")


@rows(writes_over)
def test_a_result_over_an_operand_is_the_same(case: OpCase, rng: np.random.Generator) -> None:
    op = ops.find(case.op)
    for dtype in planned():
        values = in_dtype(case, dtype, rng)
        positions = plannable(op, case, values)
        assert positions, dtype
        for position in positions:
            (expected,) = call(op, case, values)
            given = [None if v is None else v.copy() for v in values]
            target = given[position]
            assert target is not None
            (result,) = call(op, case, given, out=(target,))
            assert not result.size or np.shares_memory(result, target)
            assert result.tobytes() == expected.tobytes()
            (fresh,) = call(op, case, values, out=(np.full_like(target, 7),))
            assert fresh.tobytes() == expected.tobytes()


@rows(takes_one_shape)
def test_arrays_without_axes_are_computed_too(case: OpCase, rng: np.random.Generator) -> None:
    op = ops.find(case.op)
    values = drawn(case, rng)
    (whole,) = call(op, case, values)
    first = [v.reshape(-1)[:1].reshape(()) for v in values]
    for more in ({}, {"out": (np.array(7.0),)}):
        (single,) = call(op, case, first, **more)
        np.testing.assert_allclose(single, whole.reshape(-1)[0], rtol=1e-12)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "name",
    ["Activation", "LeakyReLU", "_plus_scalar", "_rdiv_scalar", "add_n", "clip", "exp", "relu"],
)
def test_the_common_pointwise_operators_can(name: str) -> None:
    assert here().kernels.record(ops.find(name).kernel).pointwise


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", ["dot", "softmax", "sgd_update", "sum", "where", "Convolution"])
def test_other_operators_cannot(name: str) -> None:
    assert not here().kernels.record(ops.find(name).kernel).pointwise


def replaces_elements(case: OpCase) -> bool:
    op = ops.find(case.op)
    return type(op) is Operator and here().kernels.record(op.kernel).out == "first"


@rows(replaces_elements)
@pytest.mark.parametrize("dtype", FLOATS)
def test_elements_are_replaced_in_the_memory_of_the_first_operand(
    table: str, case: OpCase, dtype: str, rng: np.random.Generator
) -> None:
    op, values = ops.find(case.op), in_dtype(case, dtype, rng)
    (expected,) = call(op, case, values)
    given = [None if v is None else v.copy() for v in values]
    first = given[0]
    assert first is not None
    (result,) = call(op, case, given, out=(first,))
    assert not result.size or np.shares_memory(result, first)
    assert result.tobytes() == first.tobytes() == expected.tobytes()


@rows(takes_memory)
@pytest.mark.parametrize("dtype", FLOATS)
def test_results_in_given_memory_are_the_same(
    table: str, case: OpCase, dtype: str, rng: np.random.Generator
) -> None:
    op = ops.find(case.op)
    values = in_dtype(case, dtype, rng)
    expected = call(op, case, values)
    count = len(op.output_names(op.parse(case.params)))
    given = [None if v is None else v.copy() for v in values]
    for offered in ([True] * count, [k == count - 1 for k in range(count)]):
        memory = tuple(
            np.full_like(result, 7) if is_offered and result.dtype in FLOATS else None
            for result, is_offered in zip(expected, offered, strict=False)
        )
        results = call(op, case, given, out=memory)
        for result, offer in zip(results, memory, strict=False):
            assert offer is None or not offer.size or np.shares_memory(result, offer)
        for result, other in zip(results, expected, strict=True):
            assert result.dtype == other.dtype
            if result is results[-1] and (table, case.op, case.is_train) in NUMBERED:
                continue
            # Where memory begins decides in which order ``einsum`` adds.
            np.testing.assert_allclose(result, other, rtol=1e-5 if dtype == "float32" else 1e-13)
        for v, before in zip(given, values, strict=True):
            assert v is None or v.tobytes() == before.tobytes()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("name", "operands", "params", "which"),
    [
        ("FullyConnected", [(8, 4), (6, 4), (6,)], {"num_hidden": 6}, 0),
        ("Convolution", [(2, 3, 6, 6), (4, 3, 3, 3), (4,)], {"num_filter": 4, "kernel": (3, 3)}, 0),
        ("Pooling", [(2, 3, 6, 6)], {"kernel": (2, 2), "stride": (2, 2)}, 0),
        ("BatchNorm", [(4, 3, 5), (3,), (3,), (3,), (3,)], {"fix_gamma": False}, 0),
        ("LayerNorm", [(4, 3), (3,), (3,)], {}, 0),
        ("softmax", [(4, 3)], {}, 0),
        ("log_softmax", [(4, 3)], {}, 0),
        ("dot", [(4, 3), (3, 5)], {}, 0),
        ("batch_dot", [(2, 4, 3), (2, 3, 5)], {}, 0),
        ("transpose", [(2, 30, 40)], {}, 0),
        ("Concat", [(2, 3), (2, 3)], {"dim": 1}, 0),
        ("take", [(4, 3), (2,)], {}, 0),
        (
            "RNN",
            [(3, 2, 4), (180,), (1, 2, 5), (1, 2, 5)],
            {"state_size": 5, "num_layers": 1, "mode": "lstm", "state_outputs": True},
            3,
        ),
    ],
)
def test_layers_write_to_the_memory_that_they_are_given(
    name: str, operands: list[tuple[int, ...]], params: dict[str, Any], which: int, table: str
) -> None:
    if (table, name) in MAKES_ITS_OWN:
        assert here().kernels.record(ops.find(name).kernel).out == "none"
        return
    op = ops.find(name)
    values = [np.full(shape, 0.5, np.float32) for shape in operands]
    if name == "RNN":
        values[1] = np.full(4 * 5 * (4 + 5 + 2), 0.1, np.float32)
    case = OpCase(name, tuple(operands), None, params)
    every = call(op, case, values)
    expected = every[which]
    memory = np.full_like(expected, 7)
    out = tuple(memory if k == which else None for k in range(len(every)))
    result = call(op, case, values, out=out)[which]
    assert np.shares_memory(result, memory)
    assert memory.tobytes() == expected.tobytes()


@rows()
def test_kernels_return_no_operand_but_one_that_is_known_to(
    case: OpCase, rng: np.random.Generator
) -> None:
    op = ops.find(case.op)
    values = drawn(case, rng)
    changed = set(op.updated(op.parse(case.params), case.is_train))
    results = call(op, case, values)[: len(op.output_names(op.parse(case.params)))]
    shared = {
        op.name
        for result in results
        for i, v in enumerate(values)
        if i not in changed and v is not None and np.may_share_memory(result, v) and v.size
    }
    assert shared <= {"_sum_like"}
