"""ValueAndGradients: gradients that are announced while the backward pass goes on."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import KernelError, NDArray, nd
from hy_symbol import Pool, Symbol, TypedGraph, ValueAndGradients, sym

SHAPES = {"x": (4, 6), "w1": (5, 6), "w2": (3, 5), "w3": (2, 3)}


def three_layers() -> Symbol:
    value = sym.var("x")
    for k in (1, 2, 3):
        weight = sym.var(f"w{k}")
        value = sym.FullyConnected(
            value, weight, num_hidden=SHAPES[f"w{k}"][0], no_bias=True, name=f"dense{k}"
        )
        value = sym.tanh(value, name=f"tanh{k}")
    return sym.sum(value)


def made(net: Symbol, wrt: list[str], *, pool: Pool | None = None) -> tuple[Any, list[NDArray]]:
    draw = np.random.default_rng(0)
    names = net.list_arguments()
    given = [nd.array(draw.normal(size=SHAPES[name])) for name in names]
    typed = TypedGraph.of(net.graph, [(x.shape, "float32") for x in given])
    device = given[0].device
    program = ValueAndGradients.of(typed, [names.index(n) for n in wrt], device, pool=pool)
    return program, given


def outputs_of(program: Any, given: list[NDArray]) -> list[NDArray]:
    return [nd.zeros(given[target].shape) for target in program.targets]


@pytest.mark.parametrize("pooled", [False, True])
def test_gradients_are_announced_in_order_of_their_layers(pooled: bool) -> None:
    program, given = made(three_layers(), ["w1", "w2", "w3"], pool=Pool() if pooled else None)
    expected, found = outputs_of(program, given), outputs_of(program, given)
    (loss,) = program.run([x.buffer for x in given], [x.buffer for x in expected])
    seen: list[Any] = []

    def ready(k: int) -> None:
        # It is complete, and those of earlier layers are not there yet.
        seen.append((k, [bool(x.asnumpy().any()) for x in found]))

    (again,) = program.run_announcing([x.buffer for x in given], [x.buffer for x in found], ready)
    device = given[0].device
    np.testing.assert_array_equal(
        NDArray.from_buffer(again, device).asnumpy(), NDArray.from_buffer(loss, device).asnumpy()
    )
    for gradient, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(gradient.asnumpy(), other.asnumpy())
    names = [f"w{target}" for target in program.targets]
    assert [names[k] for k, _ in seen] == ["w3", "w2", "w1"]
    for number, (k, written) in enumerate(seen):
        assert written[k]
        assert sum(written) == number + 1


def test_equal_and_constant_gradients_are_announced_once_each() -> None:
    a, b, c = (sym.var(name) for name in ("x", "y", "z"))
    net = sym.sum(sym.elemwise_add(sym.elemwise_add(a, b), sym.square(c)))
    given = [nd.array([1.0, 2.0]), nd.array([3.0, 4.0]), nd.array([5.0, 6.0])]
    typed = TypedGraph.of(net.graph, [((2,), "float32")] * 3)
    program = ValueAndGradients.of(typed, [0, 1, 2], given[0].device)
    found = outputs_of(program, given)
    seen: list[int] = []
    program.run_announcing([x.buffer for x in given], [x.buffer for x in found], seen.append)
    assert sorted(seen) == [0, 1, 2]
    by_input = {
        target: x.asnumpy().tolist() for target, x in zip(program.targets, found, strict=True)
    }
    assert by_input == {0: [1.0, 1.0], 1: [1.0, 1.0], 2: [10.0, 12.0]}


def test_an_error_of_an_announcing_run_names_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    program, given = made(three_layers(), ["w1"])

    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no memory left")

    name, (nodes, _) = [*program.program._linked.kernels.items()][-1]
    node = nodes[-1].name
    monkeypatch.setitem(program.program.scope, name, fails)
    inputs, out = ([x.buffer for x in arrays] for arrays in (given, outputs_of(program, given)))
    with pytest.raises(KernelError, match=f"{node}.*no memory left"):
        program.run_announcing(inputs, out, lambda _: None)
