"""Reductions along axes of size 1 add up nothing, and cost nothing."""

from typing import Any

import numpy as np
import pytest

from hy_gluon.block import HybridBlock
from hy_ndarray import NDArray, autograd, cpu, device_of, nd
from hy_symbol import Symbol, TypedGraph, sym
from hy_symbol.passes import Target, check_graph, without_single_reductions


def behind(net: Symbol, shape: tuple[int, ...], dtype: str = "float32") -> list[str]:
    """The operators that the pass leaves."""
    typed = TypedGraph.of(net.graph, [(shape, dtype)])
    made = without_single_reductions(typed, Target(device_of(cpu())))
    check_graph(made.graph, net.graph)
    assert made.types.get(made.graph.outputs[0]) == typed.types.get(net.graph.outputs[0])
    return [node.op.name for node in made.graph.nodes if node.op is not None]


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
@pytest.mark.parametrize(
    "how", [{"axis": 1}, {"axis": (1, -1)}, {"axis": (0, 2), "exclude": True}], ids=str
)
def test_what_has_one_element_is_that_element(name: str, how: dict[str, Any]) -> None:
    net = getattr(sym, name)(sym.var("x"), **how)
    assert behind(net, (4, 1, 3, 1)) == ["squeeze"]
    assert behind(net, (4, 1, 3, 2)) == (["squeeze"] if how == {"axis": 1} else [name])


def test_axes_that_are_kept_leave_nothing_to_do() -> None:
    total = sym.sum(sym.var("x"), axis=1, keepdims=True)
    assert behind(sym.exp(total), (4, 1)) == ["exp"]
    assert behind(total, (4, 1)) == ["sum"], "what is returned has memory of its own"


@pytest.mark.parametrize(
    ("shape", "how"), [((1,), {"axis": 0}), ((1, 1), {}), ((0, 1), {"axis": 1})]
)
def test_others_stay(shape: tuple[int, ...], how: dict[str, Any]) -> None:
    assert behind(sym.sum(sym.var("x"), **how), shape) == ["sum"]


class Ended(HybridBlock):
    """An exponential, and what a loss ends with."""

    def __init__(self, name: str, **how: Any) -> None:
        super().__init__()
        self.name_of, self.how = name, how

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return getattr(F, self.name_of)(F.exp(x), **self.how)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
@pytest.mark.parametrize(
    "how",
    [{"axis": 0, "exclude": True}, {"axis": (1, 2)}, {"axis": 2, "keepdims": True}, {"axis": 1}],
    ids=str,
)
def test_gradients_are_those_of_the_element(
    rng: np.random.Generator, name: str, how: dict[str, Any]
) -> None:
    values = rng.normal(size=(5, 1, 1))
    for hybrid in (False, True):
        net = Ended(name, **how)
        net.hybridize(hybrid, static_alloc=True)
        for _ in range(2):
            x = nd.array(values)
            x.attach_grad()
            with autograd.record():
                y = net(x)
            if name in ("sum", "mean", "prod"):  # others compare with the result
                y[:] = 7
            slope = nd.array(np.arange(y.size).reshape(y.shape))
            y.backward(slope)
            assert isinstance(x.grad, NDArray)
            wanted = np.exp(values) * slope.asnumpy().reshape(values.shape)
            np.testing.assert_allclose(x.grad.asnumpy(), wanted, rtol=1e-6)
