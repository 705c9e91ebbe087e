"""Batch normalisation and the ReLU behind it are one step in static programs, as are gradients."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, device_of
from hy_symbol import Differentiable, Known, Pool, Symbol, TypedGraph, sym

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its rules


def norm(x: Symbol, **how: Any) -> Symbol:
    return sym.BatchNorm(x, fix_gamma=False, name="norm", **how)


def trained(
    net: Symbol, shape: tuple[int, ...], *, lowered: bool = True
) -> tuple[list[Any], Counter[str]]:
    """The result, the states and all gradients; and the operators that compute them."""
    rng = np.random.default_rng(7)
    shapes, _, states = net.infer_shape(x=shape)
    sizes = dict(zip(net.list_arguments(), shapes or (), strict=True))
    sizes.update(zip(net.list_auxiliary_states(), states or (), strict=True))
    arrays = [rng.uniform(0.5, 1, sizes[node.name]) for node in net.graph.variables]
    known: list[Known] = [(x.shape, x.dtype.name) for x in arrays]
    targets = [k for k, node in enumerate(net.graph.variables) if "moving" not in node.name]
    both = Differentiable.of(
        TypedGraph.of(net.graph, known) if lowered else net.graph,
        targets,
        device_of(cpu()),
        is_train=True,
        pool=Pool() if lowered else None,
    )
    (y,), saved = both.run(arrays)
    y = y.copy()
    dy = rng.uniform(-1, 1, y.shape)
    by_target = dict(zip(both.targets, both.gradients([dy], arrays, saved), strict=True))
    steps = [*both.forward.steps, *both.backward.steps]
    found = Counter(node.op.name for node in steps if node.op)
    return [y, *arrays, *(by_target[k] for k in targets)], found


@pytest.mark.parametrize("how", [{}, {"use_global_stats": True}, {"axis": 2}], ids=str)
@pytest.mark.parametrize("shape", [(4, 5, 6, 7), (3, 4, 5)], ids=str)
def test_results_states_and_gradients_are_the_same(
    shape: tuple[int, ...], how: dict[str, Any]
) -> None:
    net = sym.Activation(norm(sym.var("x") - 0.75, **how), act_type="relu")
    expected, plain = trained(net, shape, lowered=False)
    found, joined = trained(net, shape)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    assert plain["Activation"] == plain["_normalize_backward"] == 1
    assert joined["_contrib_BatchNormWithReLU"] == joined["_batch_norm_relu_backward"] == 1
    assert not joined.keys() & {"Activation", "_activation_backward", "_normalize_backward"}


@pytest.mark.parametrize(
    "build",
    [
        sym.tanh,
        lambda y: sym.Activation(y, act_type="relu") + y,
    ],
    ids=["another function", "used"],
)
def test_others_stay_as_they_are(build: Callable[[Symbol], Symbol]) -> None:
    _, found = trained(build(norm(sym.var("x"))), (4, 5, 6, 7))
    assert found["BatchNorm"] == 1
    assert found["_contrib_BatchNormWithReLU"] == found["_batch_norm_relu_backward"] == 0
