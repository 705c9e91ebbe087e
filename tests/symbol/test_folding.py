"""Values that follow from types alone are constants of a program, and their inputs are left out."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, device_of, nd
from hy_symbol import Program, Symbol, TypedGraph, sym


def program_of(net: Symbol, shape: tuple[int, ...]) -> Program:
    typed = TypedGraph.of(net.graph, [(shape, "float32")] * len(net.graph.variables))
    return Program.of(typed, device_of(cpu()), is_train=False)


def operators(program: Program) -> list[str]:
    return [node.op.name for node in program.steps if node.op is not None]


def result(program: Program, array: Any) -> Any:
    return nd.NDArray.from_buffer(program(nd.array(array).buffer)[0], device_of(cpu())).asnumpy()


def test_what_only_numbers_of_positions_need_is_not_computed() -> None:
    x = sym.var("x")
    first = sym.exp(sym.slice_axis(x, axis=1, begin=0, end=1))
    net = sym.broadcast_mul(x, sym.expand_dims(sym.contrib.arange_like(first, axis=0), axis=1))
    program = program_of(net, (3, 2))
    assert operators(program)[-1:] == ["broadcast_mul"]
    assert not {"exp", "slice_axis", "_contrib_arange_like"} & {
        node.op.name
        for unit in program.plan.units
        for node in [program.steps[k] for k in unit.steps]
        if node.op is not None
    }
    np.testing.assert_array_equal(result(program, np.ones((3, 2))), [[0, 0], [1, 1], [2, 2]])


def test_sizes_that_are_returned_are_new_in_each_call() -> None:
    program = program_of(sym.shape_array(sym.exp(sym.var("x"))), (3, 2))
    first = program(nd.ones((3, 2)).buffer)[0]
    first[:] = 7
    np.testing.assert_array_equal(result(program, np.ones((3, 2))), [3, 2])


@pytest.mark.parametrize("is_train", [False, True])
def test_steps_with_side_effects_stay(is_train: bool) -> None:
    x, gamma, beta, *moving = (sym.var(name) for name in ("x", "g", "b", "mean", "variance"))
    normal = sym.BatchNorm(x, gamma, beta, moving[0], moving[1], momentum=0.5)
    net = sym.broadcast_add(x, sym.contrib.arange_like(normal, axis=1))
    mean, variance = nd.zeros((2,)), nd.ones((2,))
    arrays = {"x": nd.ones((4, 2)), "g": nd.ones((2,)), "b": nd.ones((2,))}
    executor = net.bind(
        cpu(), arrays, grad_req="null", aux_states={"mean": mean, "variance": variance}
    )
    for _ in range(3):
        (y,) = executor.forward(is_train=is_train)
        np.testing.assert_array_equal(y.asnumpy(), [[1, 2]] * 4)
    assert bool(mean.asnumpy().any()) is is_train


def test_gradients_go_around_numbers_of_positions() -> None:
    x = sym.var("x")
    net = sym.broadcast_mul(sym.square(x), sym.contrib.arange_like(sym.exp(x), axis=1))
    array, gradient = nd.array([[1.0, 2.0], [3.0, 4.0]]), nd.zeros((2, 2))
    executor = net.bind(cpu(), {"x": array}, args_grad={"x": gradient})
    for _ in range(3):
        executor.forward(is_train=True)
        executor.backward(nd.ones((2, 2)))
    np.testing.assert_array_equal(gradient.asnumpy(), [[0, 4], [0, 8]])
