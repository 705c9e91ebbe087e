"""Generated kernels: every pointwise operator, groups, broadcasting, reductions behind them."""

import inspect
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from triton.runtime.interpreter import InterpreterBuilder

from hy_kernels.torch import table as torch_table
from hy_kernels.triton import _table, table
from hy_kernels.triton._code import Axis, Visit, code
from hy_kernels.triton._formula import NAMES, Formula, Reduction, Step
from hy_kernels.triton.elementwise.pointwise import reduced, run
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import PointwiseGroup, PointwiseStep, cpu, nd, use_kernels
from hy_symbol import sym
from tests.kernels.triton.parity import (
    DEVICE,
    DTYPES,
    TOLERANCES,
    Tolerance,
    assert_parity,
    memory,
    to_numpy,
)

POSITIVE = {"log", "log10", "log1p", "log2", "rsqrt", "sqrt", "trigamma"}
INSIDE = {"erfinv"}
"""Of numbers between -1 and 1."""
BITS = {f"np_bitwise_{name}{scalar}" for name in ("and", "or", "xor") for scalar in ("", "_scalar")}
BITS |= {"np_bitwise_not", "np_lcm", "np_lcm_scalar"}
"""Of integers alone."""
OF_FLOATS = sorted({*NAMES} - BITS)
WITHOUT_JUMPS = {
    "float16": Tolerance(2**-9, 2**-9, "cancellation of numbers of one rounding"),
    "bfloat16": Tolerance(2**-6, 2**-6, "cancellation of numbers of one rounding"),
    "float32": Tolerance(1e-5, 2e-6, "cancellation, approximate exp and division"),
    "float64": TOLERANCES["float64"],
}
NUMBERS: dict[str, Any] = {
    "a": 1.0,
    "a_max": 0.75,
    "a_min": -0.5,
    "alpha": 0.2,
    "b": 2.0,
    "beta": 0.5,
    "c": 3.0,
    "copy": True,
    "decimals": 1,
    "dtype": "float64",
    "is_int": False,
    "is_train": True,
    "lower_bound": 0.0,
    "nan": 0.5,
    "neginf": None,
    "posinf": 7.0,
    "rng": None,
    "scalar": 2.0,
    "slope": 0.25,
    "upper_bound": 1.0,
    "value": 0.5,
    "x": 1.5,
    "y": -2.5,
}
KINDS = {
    "activation": ("relu", "sigmoid", "softrelu", "softsign", "tanh"),
    "leaky_relu": ("gelu", "leaky", "selu", "elu"),
    "leaky_relu_curve": ("gelu", "leaky", "selu", "elu"),
}


def signature(name: str) -> tuple[int, list[dict[str, Any]]]:
    """How many arrays a kernel takes, and parameters for it, one set for each kind."""
    record = torch_table().find(name)
    assert record is not None
    parameters = inspect.signature(record.function).parameters.values()
    arrays = [p for p in parameters if p.kind is not p.KEYWORD_ONLY and p.default is p.empty]
    names = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "out"]
    plain = {each: NUMBERS[each] for each in names if each in NUMBERS}
    if "act_type" not in names:
        return len(arrays), [plain]
    kinds = KINDS[name.removesuffix("_backward")]
    return len(arrays), [{**plain, "act_type": kind} for kind in kinds]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OF_FLOATS)
def test_every_operator_gives_numpy_s_numbers(name: str, dtype: str) -> None:
    count, sets = signature(name)
    low, high = (0.1 if name in POSITIVE else -3), 3
    if name in INSIDE:
        low, high = -1, 1
    for params in sets:
        for shape in ((), (1,), (37, 5), (1025,)):
            rng = np.random.default_rng(len(shape))
            arrays = [np.asarray(rng.uniform(low, high, shape)) for _ in range(count)]
            assert_parity(name, arrays, dtype, params, tolerance=WITHOUT_JUMPS[dtype])


@pytest.mark.parametrize("name", OF_FLOATS)
def test_every_operator_treats_what_is_no_number_as_numpy_does(name: str) -> None:
    count, sets = signature(name)
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
    arrays = [x, x[::-1].copy(), np.roll(x, 2)][:count]
    with np.errstate(all="ignore"):
        for params in sets:
            assert_parity(name, arrays, "float64", params)


@pytest.mark.parametrize(
    "shapes", [((3, 1, 5), (4, 1)), ((7,), (1,)), ((1, 1), (9, 1)), ((5,), ())]
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_broadcast(dtype: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(1)
    arrays = [np.asarray(rng.uniform(-1, 1, shape)) for shape in shapes]
    for strided in (False, True):
        assert_parity("broadcast_mul", arrays, dtype, strided=strided)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exponent", [2.5, -3.0, 0.0, 1.0, 0.5, -0.5, 7.0])
def test_any_exponent(exponent: float, dtype: str) -> None:
    x = np.concatenate([np.linspace(-3, 3, 61), [np.inf, -np.inf, np.nan, 0.1]])
    with np.errstate(all="ignore"):
        params = {"scalar": exponent, "is_int": False}
        assert_parity("power_scalar", [x], dtype, params, tolerance=WITHOUT_JUMPS[dtype])
        assert_parity("rpower_scalar", [x], dtype, params, tolerance=WITHOUT_JUMPS[dtype])


GROUP = PointwiseGroup(
    2,
    (
        PointwiseStep("broadcast_mul", (0, 1), {}),
        PointwiseStep("tanh", (2,), {}),
        PointwiseStep("plus_scalar", (3,), {"scalar": 1.5, "is_int": False}),
        PointwiseStep("broadcast_sub", (4, 0), {}),
    ),
    (3, 5),
    ((33, 31), "float32"),
)


@pytest.mark.parametrize("given_memory", [False, True])
def test_a_group_is_one_launch(given_memory: bool) -> None:
    x, y = (torch.randn(33, 31, device=DEVICE) for _ in range(2))
    kernel = table().fuse(GROUP)
    wanted = torch.tanh(x * y), torch.tanh(x * y) + 1.5 - x
    with watched() as launches:
        found = kernel.function(x, y, out=(None, y) if given_memory else None)
    assert len(launches) == 1
    for ours, right in zip(found, wanted, strict=True):
        torch.testing.assert_close(ours, right)
    assert (found[1] is y) == given_memory


def test_a_group_with_a_step_that_it_lacks_is_torch_s() -> None:
    step = PointwiseStep("np_around", (0,), {"decimals": 301})  # a power that floats barely have
    group = PointwiseGroup(1, (step, PointwiseStep("exp", (1,), {})), (2,), ((3,), "float32"))
    _table._report.cache_clear()
    with pytest.warns(RuntimeWarning, match=r"has no step for.*: np_around\(decimals=301\)"):
        kernel = table().fuse(group)
    with watched() as launches:
        (y,) = kernel.function(torch.ones(3))
    torch.testing.assert_close(y, torch.ones(3).exp())
    assert not launches


def test_the_code_reads_each_input_once_and_writes_each_result_once() -> None:
    steps = (Step("broadcast_mul", (0, 1)), Step("broadcast_add", (2, 0)), Step("tanh", (3,)))
    text = code(Formula(2, steps, (3, 4)), Visit((Axis((1, 1)),)))
    assert [len(re.findall(rf"tl\.load\(x{j}\b", text)) for j in range(2)] == [1, 1]
    assert text.count("tl.load") == 2
    assert text.count("tl.store") == 2
    reduction = code(Formula(2, steps, (), Reduction("sum", 4)), Visit((Axis((1, 1)),)))
    assert (reduction.count("tl.load"), reduction.count("tl.store")) == (2, 1)


class Traffic:
    """Addresses that the interpreter reads and writes."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.read: Counter[int] = Counter()
        self.written: Counter[int] = Counter()
        for name, seen in (("load", self.read), ("store", self.written)):
            self._watch(patch, f"create_masked_{name}", seen)

    def _watch(self, patch: pytest.MonkeyPatch, name: str, seen: Counter[int]) -> None:
        whole = getattr(InterpreterBuilder, name)
        place = list(inspect.signature(whole).parameters).index("mask") - 1

        def counted(builder: Any, pointers: Any, *more: Any) -> Any:
            inside = np.broadcast_to(more[place - 1].data, pointers.data.shape)
            seen.update(pointers.data[inside].tolist())
            return whole(builder, pointers, *more)

        patch.setattr(InterpreterBuilder, name, counted)


def places(tensor: torch.Tensor) -> Counter[int]:
    """The addresses of a contiguous tensor's elements, once each."""
    size = tensor.element_size()
    return Counter(range(tensor.data_ptr(), tensor.data_ptr() + tensor.numel() * size, size))


@pytest.mark.skipif(DEVICE.type != "cpu", reason="the interpreter alone can be watched")
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2, 1031), (33, 64)])
def test_a_group_moves_each_element_once(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = torch.randn(shape), torch.randn(shape)
    results = [torch.empty(shape) for _ in range(2)]
    steps = (Step("broadcast_mul", (0, 1)), Step("broadcast_add", (2, 0)), Step("tanh", (3,)))
    traffic = Traffic(monkeypatch)
    run(Formula(2, steps, (3, 4)), [x, y], shape, results)
    assert traffic.read == places(x) + places(y)
    assert traffic.written == places(results[0]) + places(results[1])


@pytest.mark.skipif(DEVICE.type != "cpu", reason="the interpreter alone can be watched")
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (300, 5), (33, 64)])
def test_a_reduction_behind_a_group_moves_each_element_once(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, total = torch.randn(shape), torch.empty(shape[0])
    steps = (Step("square", (0,)), Step("tanh", (1,)))
    traffic = Traffic(monkeypatch)
    reduced(Formula(1, steps, (), Reduction("sum", 2)), [x], shape, 1, total)
    assert traffic.read == places(x)
    assert traffic.written == places(total)


UNARY = ("tanh", "negative", "square", "sigmoid", "relu", "abs")
BINARY = ("broadcast_add", "broadcast_mul", "broadcast_maximum")


@st.composite
def groups(draw: st.DrawFn) -> Formula:
    inputs, steps = draw(st.integers(1, 3)), []
    for k in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from([*UNARY, *BINARY]))
        value = st.integers(0, inputs + k - 1)
        operands = [draw(value) for _ in range(1 if name in UNARY else 2)]
        steps.append(Step(name, tuple(operands)))
    results = draw(st.sets(st.integers(inputs, inputs + len(steps) - 1), min_size=1))
    return Formula(inputs, tuple(steps), tuple(sorted(results)))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(groups(), st.lists(st.integers(1, 5), min_size=1, max_size=3), st.data())
def test_any_group_gives_what_its_steps_give(
    formula: Formula, shape: list[int], data: st.DataObject
) -> None:
    generator = torch.Generator().manual_seed(1)
    shapes = [[n if data.draw(st.booleans()) else 1 for n in shape] for _ in range(formula.inputs)]
    inputs = [torch.randn(each, generator=generator).to(DEVICE, torch.float64) for each in shapes]
    values = [x.expand(shape) for x in inputs]
    for step in formula.steps:
        record = torch_table().find(step.name)
        assert record is not None
        values.append(record.function(*(values[i] for i in step.operands)))
    results = [torch.empty(shape, dtype=torch.float64, device=DEVICE) for _ in formula.results]
    with watched() as launches:
        run(formula, inputs, shape, results)
    assert len(launches) == 1
    for found, value in zip(results, formula.results, strict=True):
        torch.testing.assert_close(found, values[value])


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2, 9001), (129, 33)])
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_a_reduction_may_follow(kind: str, shape: tuple[int, int]) -> None:
    x, y = torch.randn(shape, device=DEVICE), torch.randn(shape[1], device=DEVICE)
    product = (x * y).double()
    wanted = product.sum(1) if kind == "sum" else getattr(torch, f"a{kind}")(product, 1)
    formula = Formula(2, (Step("broadcast_mul", (0, 1)),), (), Reduction(kind, 2))
    total = torch.zeros(shape[0], device=DEVICE)
    reduced(formula, [x, y], shape, 1, total)
    torch.testing.assert_close(total.double(), wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_hybridized_graph_runs_as_one_kernel(dtype: str) -> None:
    x = sym.Variable("x")
    y = sym.tanh(x * 0.5 + 1) * sym.sigmoid(x)
    value = np.random.default_rng(0).uniform(-1, 1, (13, 7))
    with use_kernels("triton"):
        array = nd.array(value, dtype=dtype)
        executor = y.bind(cpu(), {"x": array})
        for _ in range(2):  # not planned yet
            executor.forward()
        with watched() as launches:
            (found,) = executor.forward()
    assert len(launches) == 1
    exact = to_numpy(memory.from_numpy(array.asnumpy(), DEVICE))
    wanted = np.tanh(exact * 0.5 + 1) / (1 + np.exp(-exact))
    rtol, atol, _ = TOLERANCES[dtype]
    np.testing.assert_allclose(found.asnumpy().astype("float64"), wanted, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", ["broadcast_hypot", "broadcast_logical_or", "broadcast_mul"])
def test_an_operand_may_be_one_number(name: str) -> None:
    arrays = [np.array(-0.0), np.array([3.0, 0.0, np.inf])[:2]]
    assert_parity(name, arrays, "float32")


def test_zeros_keep_their_sign() -> None:
    record = table().find("broadcast_mul")
    assert record is not None
    zero = torch.zeros((), device=DEVICE)
    y = record.function(zero, torch.tensor([-1.0], device=DEVICE))
    assert y.signbit().all()
