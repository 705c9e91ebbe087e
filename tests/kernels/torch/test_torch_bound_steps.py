"""Steps of programs call what eager calls with their parameters use, where that does as much."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hy_ndarray import NDArray, cpu, device_of, nd, profiler, use_kernels
from hy_symbol import Program, Symbol, TypedGraph, sym
from hy_symbol.compile.arena import Pool
from tests.profiles import configure, names

SHAPE = (4, 6)


@pytest.fixture(autouse=True)
def _on_torch() -> Iterator[None]:
    with use_kernels("torch"):
        yield


def program(net: Symbol, *shapes: tuple[int, ...], **options: Any) -> Program:
    typed = TypedGraph.of(net.graph, [(shape, "float32") for shape in shapes])
    return Program.of(typed, device_of(cpu()), **{"is_train": False, **options})


def array(*shape: int) -> NDArray:
    return nd.array(np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32))


def layer_norm(*, output_mean_var: bool = False) -> Symbol:
    data, gamma, beta = (sym.var(name) for name in "xgb")
    return sym.LayerNorm(data, gamma, beta, output_mean_var=output_mean_var)


def test_a_step_is_called_without_its_parameters() -> None:
    made = program(sym.slice(sym.var("x"), begin=(1,), end=(3,)), SHAPE)
    assert "= b0(x0)" in made.source
    x = array(*SHAPE)
    for _ in range(2):  # step by step, then as code
        (found,) = made(x.buffer)
        assert torch.equal(found, x[1:3].buffer)


def test_results_that_nobody_needs_are_not_made() -> None:
    made = program(layer_norm(), SHAPE, (6,), (6,))
    assert "t0_0 = b0(x0, x1, x2)" in made.source
    x, gamma, beta = array(*SHAPE), array(6), array(6)
    (found,) = made(x.buffer, gamma.buffer, beta.buffer)
    assert torch.equal(found, nd.LayerNorm(x, gamma, beta).buffer)


def test_results_that_somebody_needs_are_made() -> None:
    net = layer_norm(output_mean_var=True)
    made = program(sym.Group([net[0], net[1]]), SHAPE, (6,), (6,))
    assert "b0" not in made.source
    x, gamma, beta = array(*SHAPE), array(6), array(6)
    _, mean = made(x.buffer, gamma.buffer, beta.buffer)
    torch.testing.assert_close(mean.reshape(-1), x.buffer.mean(1))


def test_in_training_only_what_does_not_differ_there() -> None:
    net = sym.Dropout(sym.slice(sym.var("x"), begin=(1,), end=(3,)), p=0.5)
    made = program(net, SHAPE, is_train=True)
    assert "= b0(x0)" in made.source
    assert "= k1(t0_0" in made.source
    (found,) = made(nd.ones(SHAPE).buffer)
    assert set(found.unique().tolist()) <= {0.0, 2.0}


def test_memory_for_results_is_used() -> None:
    inner = sym.slice(sym.var("x"), begin=(1,), end=(3,))
    made = program(sym.softmax(inner) * 2, SHAPE, pool=Pool())
    x = array(*SHAPE)
    for run in (made.run, made.run, made.run_free):  # in its arena, and outside of it
        (found,) = run([x.buffer])
        torch.testing.assert_close(found, (nd.softmax(x[1:3]) * 2).buffer)


def test_each_is_observed_once(trace_file: Path) -> None:
    made = program(sym.slice(sym.var("x"), begin=(1,), end=(3,)), SHAPE)
    x = array(*SHAPE).buffer
    made(x)
    configure(trace_file)
    profiler.set_state("run")
    made(x)
    assert names(trace_file) == ["slice"]


@pytest.mark.parametrize("length", ["int32", "int64"])
@pytest.mark.parametrize("axis", [-1, 1])
def test_softmax_with_lengths(length: str, axis: int) -> None:
    net = sym.softmax(sym.var("x"), length=sym.var("n"), use_length=True, axis=axis)
    x, n = array(2, 5, 3), np.array([[3, 0, 2], [1, 2, 3]] if axis == 1 else [[3, 0, 2, 1, 1]] * 2)
    typed = TypedGraph.of(net.graph, [(x.shape, "float32"), (n.shape, length)])
    made = Program.of(typed, device_of(cpu()), is_train=False)
    assert "= b0(x0, x1)" in made.source
    (found,) = made(x.buffer, nd.array(n, dtype=length).buffer)
    places = np.arange(x.shape[axis]).reshape((1, -1, 1) if axis == 1 else (1, 1, -1))
    shares = np.where(places < np.expand_dims(n, axis), np.exp(x.asnumpy()), 0)
    total = shares.sum(axis, keepdims=True)
    expected = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)
