"""Blocks in PyTorch under torch.func and forward derivatives; numbers are those of differences."""

from typing import Any

import pytest
import torch
from torch.autograd import forward_ad
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vmap

from hy_gluon import nn, to_torch
from hy_ndarray import AutogradError, nd, random
from tests.gluon.pytorch.nets import NETS, shared

pytestmark = pytest.mark.filterwarnings(  # torch.func's own, at its first forward derivative
    "ignore:`torch.jit.script` is deprecated:DeprecationWarning"
)
STEP = 1e-5
TWICE = ["convolutional", "attentive", "deconvolution", "normed"]
"""Whose operators all have second derivatives."""


@pytest.fixture(params=NETS)
def case(request: pytest.FixtureRequest) -> tuple[Any, torch.Tensor]:
    return made(request.param)


@pytest.fixture(params=TWICE)
def twice(request: pytest.FixtureRequest) -> tuple[Any, torch.Tensor]:
    return made(request.param)


def made(name: str) -> tuple[Any, torch.Tensor]:
    """A module that predicts in float64, and its input."""
    random.seed(3)
    torch.manual_seed(3)
    make, shape = NETS[name]
    net: Any = make()
    net.cast("float64")
    x: Any = nd.random.normal(shape=shape).astype("float64")
    return to_torch(net, x).eval(), shared(x)


def loss(module: Any) -> Any:
    return lambda x: module(x).tanh().sum()


def gradient(module: Any, x: torch.Tensor) -> torch.Tensor:
    x = x.detach().clone().requires_grad_()
    found: torch.Tensor = torch.autograd.grad(loss(module)(x), x)[0]
    return found


def near(found: Any, expected: torch.Tensor, tolerance: float = 1e-6) -> None:
    torch.testing.assert_close(found.detach(), expected.detach(), rtol=tolerance, atol=tolerance)


def change(function: Any, x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = (function(x + STEP * v) - function(x - STEP * v)).detach() / (2 * STEP)
    return found


def test_grad_gives_the_gradient(case: tuple[Any, torch.Tensor]) -> None:
    module, x = case
    near(grad(loss(module))(x), gradient(module, x))


def test_vmap_gives_what_single_calls_give(case: tuple[Any, torch.Tensor]) -> None:
    module, x = case
    near(vmap(module)(torch.stack([x, 2 * x])), torch.stack([module(x), module(2 * x)]))


def test_gradients_of_single_samples(case: tuple[Any, torch.Tensor]) -> None:
    module, x = case
    names = {name: p for name, p in module.named_parameters() if p.requires_grad}
    params = {name: p.detach() for name, p in names.items()}

    def one(params: Any, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = functional_call(module, params, (x,)).tanh().sum()
        return y

    found = vmap(grad(one), (None, 0))(params, torch.stack([x, 2 * x]))
    loss(module)(2 * x).backward()
    for name, parameter in names.items():
        assert parameter.grad is not None
        near(found[name][1], parameter.grad)


def test_jvp_is_the_change_of_outputs(twice: tuple[Any, torch.Tensor]) -> None:
    module, x = twice
    v = torch.randn_like(x)
    expected = change(module, x, v)
    near(jvp(module, (x,), (v,))[1], expected)
    with forward_ad.dual_level():
        near(forward_ad.unpack_dual(module(forward_ad.make_dual(x, v))).tangent, expected)


def test_second_derivatives_in_every_order_of_modes(twice: tuple[Any, torch.Tensor]) -> None:
    module, x = twice
    v = torch.randn_like(x)
    function = loss(module)
    expected = change(lambda at: gradient(module, at), x, v)
    near(jvp(grad(function), (x,), (v,))[1], expected)
    near(grad(lambda at: jvp(function, (at,), (v,))[1])(x), expected)
    near(torch.autograd.functional.vhp(function, x, v)[1], expected)


def test_jacobians_and_hessians_agree() -> None:
    module, x = made("attentive")
    x = x[:1]
    near(jacfwd(module)(x), jacrev(module)(x))
    found = hessian(loss(module))(x)
    v = torch.randn_like(x)
    expected = change(lambda at: gradient(module, at), x, v)
    near(torch.einsum("abcdef,def->abc", found, v), expected)


def test_jvp_by_parameters_has_tangents_of_the_parameters() -> None:
    module, x = made("attentive")
    params = {name: p.detach() for name, p in module.named_parameters()}
    speeds = {name: torch.randn_like(p) for name, p in params.items()}

    def at(step: float) -> torch.Tensor:
        moved = {name: p + step * speeds[name] for name, p in params.items()}
        y: torch.Tensor = functional_call(module, moved, (x,))
        return y

    _, found = jvp(lambda p: functional_call(module, p, (x,)), (params,), (speeds,))
    near(found, (at(STEP) - at(-STEP)) / (2 * STEP))


def test_what_has_no_second_derivative_is_named() -> None:
    module, x = made("recurrent")
    with pytest.raises(AutogradError, match=r"_rnn_backward .* is not differentiable"):
        jvp(module, (x,), (x,))


def test_dropout_has_gradients_but_no_second_ones() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), nn.Dropout(0.5))
    net.initialize()
    module, x = to_torch(net).train(), torch.ones(2, 3)
    torch.manual_seed(1)
    found = grad(lambda x: module(x).sum())(x)
    torch.manual_seed(1)
    leaf = x.clone().requires_grad_()
    near(found, torch.autograd.grad(module(leaf).sum(), leaf)[0])
    with pytest.raises(AutogradError, match=r"random operator .* call eval\(\)"):
        jvp(module, (x,), (x,))
