"""Steps on arrays of one element: arithmetic without arrays gives what kernels give in turn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_kernels.numbers import NUMBERS, arithmetic
from hy_kernels.numpy import table as numpy_table
from hy_ndarray import PointwiseGroup, PointwiseStep, cpu, device_of
from hy_symbol import Program, TypedGraph, explained, sym

VALUES = -np.inf, -3.5, -1.0, -0.0, 0.0, 1e-30, 0.1, 2.5, 3e38, np.inf, np.nan
PARAMS = {"scalar": 0.7, "is_int": False}

Array = np.ndarray[Any, np.dtype[Any]]


def step(kernel: str) -> PointwiseStep:
    count = 2 if "{1}" in NUMBERS[kernel] else 1
    params = PARAMS if "{scalar}" in NUMBERS[kernel] else {}
    return PointwiseStep(kernel, tuple(range(count)), params)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", NUMBERS)
def test_a_step_is_the_kernel_of_both_tables(kernel: str, dtype: str) -> None:
    alone = step(kernel)
    run = arithmetic(PointwiseGroup(2, (alone,), (2,), ((1, 1), dtype)))
    record = numpy_table().find(kernel)
    assert run is not None
    assert record is not None
    with np.errstate(all="ignore"):
        pairs = [np.array([a, b], dtype) for a in VALUES for b in VALUES]
        found = [run(*pair)[0] for pair in pairs]
        whole = [np.stack(pairs)[:, i] for i in alone.operands]
        expected = record.function(*whole, **alone.params)
    assert {type(x) for x in found} == {np.dtype(dtype).type}
    np.testing.assert_array_equal(np.array(found), expected)
    torch = pytest.importorskip("torch")
    from hy_kernels.torch import table  # noqa: PLC0415  # needs torch

    other = table().find(kernel)
    assert other is not None
    theirs = other.function(*[torch.from_numpy(x.copy()) for x in whole], **alone.params)
    np.testing.assert_array_equal(np.array(found), theirs.numpy())


@pytest.mark.parametrize(
    ("kernels", "type_"),
    [
        (("relu", "tanh"), ((1,), "float32")),
        (("relu",), ((2,), "float32")),
        (("relu",), ((1,), "float16")),
        (("relu",), ((1,), "int32")),
    ],
)
def test_other_groups_are_left_to_kernels(kernels: tuple[str, ...], type_: Any) -> None:
    steps = tuple(PointwiseStep(name, (0,), {}) for name in kernels)
    assert arithmetic(PointwiseGroup(1, steps, (1,), type_)) is None


def test_long_groups_are_computed_block_by_block() -> None:
    rng = np.random.default_rng(5)
    names = [name for name in NUMBERS if "scalar" not in NUMBERS[name] and "div" not in name]
    steps, values = [], [np.float32(0.5), np.float32(-0.25)]
    for _ in range(400):
        name = names[rng.integers(len(names))]
        count = 2 if "{1}" in NUMBERS[name] else 1
        operands = tuple(rng.integers(max(0, len(values) - 90), len(values), count).tolist())
        steps += [
            PointwiseStep(name, operands, {}),
            PointwiseStep("minimum_scalar", (len(values),), {"scalar": rng.normal()}),
        ]
        one = PointwiseGroup(2, (step(name),), (2,), ((), "float32"))
        run = arithmetic(one)
        assert run is not None
        first, *rest = (values[i] for i in operands)
        values.append(run(first, *(rest or [first]))[0])
        values.append(min(values[-1], np.float32(steps[-1].params["scalar"])))
    results = tuple(sorted(rng.integers(2, len(values), 20).tolist()))
    whole = arithmetic(PointwiseGroup(2, tuple(steps), results, ((), "float32")))
    assert whole is not None
    np.testing.assert_array_equal(whole(*values[:2]), [values[i] for i in results])


def chain(x: Any) -> Any:
    return sym.relu((x * 3 - 1) / 7) + 2


def predicted(build: Callable[[Any], Any], shape: tuple[int, ...], value: float) -> Any:
    """How the steps of a graph are done, its result, and that of its kernels in turn."""
    device = device_of(cpu())
    x = device.memory.from_numpy(np.full(shape, value, np.float32), device.handle)
    graph = build(sym.var("x")).graph
    known = TypedGraph.of(graph, [(shape, "float32")])
    program = Program.of(known, device, is_train=False)
    variables = [entry for v in graph.variables for entry in [(v, 0)]]
    plain = Program(variables, graph.outputs, device, is_train=False)
    results = [device.memory.to_numpy(run(x)[0]) for run in (program, plain)]
    assert results[0].shape == shape
    return [row.how for row in explained(program).rows], *results


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
@pytest.mark.parametrize("value", [0.3, 0.9, -5.0])
def test_a_program_does_numbers_at_once(shape: tuple[int, ...], value: float) -> None:
    ways, found, expected = predicted(chain, shape, value)
    assert ways == ["fused"]
    assert found.tobytes() == expected.tobytes()


def test_few_steps_and_larger_arrays_stay_calls() -> None:
    assert "fused" not in predicted(lambda x: sym.relu(x) + 1, (1,), 2.0)[0]
    assert "fused" not in predicted(chain, (2,), 2.0)[0]


def test_a_plain_number_is_no_memory_for_a_result() -> None:
    """Of arrays without axes numpy's functions give such, and a program offers it as memory."""
    steps = [PointwiseStep("square", (k,), {}) for k in range(4)]
    fused = numpy_table().fuse(PointwiseGroup(1, tuple(steps), (4,), ((), "float64")))
    for memory in (None, np.zeros(()), np.float64(7)):
        (found,) = fused.function(np.array(2.0), out=(memory,))
        assert float(found) == 2.0**16
        assert found.shape == ()


def test_what_is_read_between_is_a_result_of_its_group() -> None:
    def build(x: Any) -> Any:
        y = chain(x)
        return sym.tanh(y) + chain(y) + y

    ways, found, expected = predicted(build, (1,), 0.8)
    assert ways.count("fused") == 2
    assert found.tobytes() == expected.tobytes()
