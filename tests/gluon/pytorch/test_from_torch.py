"""Modules of PyTorch's as blocks: one set of weights, PyTorch's numbers and gradients."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import Trainer, from_torch, nn
from hy_ndarray import ArgumentError, autograd, nd, random, use_kernels
from hy_symbol import sym


@pytest.fixture(params=["numpy", "torch"], autouse=True)
def _on_both_tables(request: pytest.FixtureRequest) -> Iterator[None]:
    with use_kernels(request.param):
        random.seed(3)
        torch.manual_seed(3)
        yield


def module() -> Any:
    return torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Tanh(), torch.nn.Linear(4, 2)
    )


def close(array: Any, tensor: Any) -> None:
    np.testing.assert_allclose(array.asnumpy(), tensor.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_parameters_have_the_names_and_the_memory_of_the_state() -> None:
    theirs = module()
    block = from_torch(theirs)
    ours = block._collect_params_with_prefix()
    assert set(ours) == {k for k, v in theirs.state_dict().items() if v.ndim}
    ours["0.weight"].set_data(nd.ones((4, 3)))
    assert (theirs[0].weight == 1).all()
    with torch.no_grad():
        theirs[0].bias.fill_(2)
    assert (ours["0.bias"].data().asnumpy() == 2).all()


def test_outputs_and_gradients_are_those_of_the_module() -> None:
    theirs, x = module(), nd.random.normal(shape=(6, 3))
    block = from_torch(theirs)
    x.attach_grad()
    with autograd.record():
        out = block(x)
        loss = (out * out).sum()
    loss.backward()
    tensor = torch.from_numpy(x.asnumpy().copy()).requires_grad_()
    expected = theirs(tensor)
    expected.square().sum().backward()
    close(out, expected)
    close(x.grad, tensor.grad)
    for name, parameter in theirs.named_parameters():
        close(block._collect_params_with_prefix()[name].grad(), parameter.grad)


def test_modes_follow_those_of_hy() -> None:
    theirs, x = module(), nd.random.normal(shape=(6, 3))
    block = from_torch(theirs)
    block(x)
    assert not theirs[1].running_mean.any()
    with autograd.record():
        block(x)
    assert theirs[1].running_mean.any()


def test_a_trainer_trains_both_halves() -> None:
    theirs = module()
    net = nn.Sequential()
    net.add(nn.Dense(3, in_units=5, activation="relu"), from_torch(theirs))
    net.initialize()
    net.hybridize()
    x, before = nd.random.normal(shape=(8, 5)), theirs[0].weight.detach().clone()
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    losses = []
    for _ in range(10):
        with autograd.record():
            loss = ((net(x) - 1) ** 2).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    assert (theirs[0].weight - before).abs().max() > 0.01


def test_gradients_can_be_differentiated_again() -> None:
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    x = nd.random.normal(shape=(2, 3))
    x.attach_grad()
    with autograd.record():
        (dx,) = autograd.grad(from_torch(theirs)(x), [x], create_graph=True, retain_graph=True)
        loss = (dx * dx).sum()
    loss.backward()
    tensor = torch.from_numpy(x.asnumpy().copy()).requires_grad_()
    (dx,) = torch.autograd.grad(theirs(tensor).sum(), tensor, create_graph=True)
    dx.square().sum().backward()
    close(x.grad, tensor.grad)


def test_a_frozen_parameter_has_no_gradient() -> None:
    theirs = torch.nn.Linear(3, 2)
    theirs.bias.requires_grad_(False)
    block = from_torch(theirs)
    assert block.params[f"{block.prefix}bias"].grad_req == "null"
    with autograd.record():
        loss = block(nd.ones((1, 3))).sum()
    loss.backward()
    assert (block.params[f"{block.prefix}weight"].grad().asnumpy() == 1).all()


class Pair(torch.nn.Module):
    def forward(self, xs: Any, scale: Any) -> Any:
        a, b = xs
        return [a * 2, (b if scale is None else b * scale,)]


def test_arguments_and_results_are_nested() -> None:
    a, b = nd.ones((2,)), nd.array([1, 2])
    double, (same,) = from_torch(Pair())([a, b], None)
    assert double.asnumpy().tolist() == [2, 2]
    assert same.asnumpy().tolist() == [1, 2]


def test_whole_numbers_stay_whole() -> None:
    out = from_torch(torch.nn.Embedding(4, 2))(nd.array([1, 3], dtype="int64"))
    assert out.shape == (2, 2)


def test_bfloat16_passes() -> None:
    block = from_torch(torch.nn.Linear(3, 2).bfloat16())
    out = block(nd.ones((1, 3), dtype="bfloat16"))
    assert str(out.dtype.__name__) == "bfloat16"


def test_weights_with_gaps_are_shared_all_the_same() -> None:
    theirs = torch.nn.Conv2d(2, 4, 3).to(memory_format=torch.channels_last)
    block = from_torch(theirs)
    block.params[f"{block.prefix}weight"].set_data(nd.ones((4, 2, 3, 3)))
    assert (theirs.weight == 1).all()


def test_parameters_can_be_saved_and_loaded(tmp_path: Any) -> None:
    theirs, other = module(), module()
    from_torch(theirs).save_parameters(str(tmp_path / "x.params"))
    from_torch(other).load_parameters(str(tmp_path / "x.params"))
    assert torch.equal(theirs[0].weight, other[0].weight)


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"function is no torch\.nn\.Module"):
        from_torch(lambda x: x)


def test_symbols_are_refused() -> None:
    with pytest.raises(ArgumentError, match="cannot be traced"):
        from_torch(torch.nn.Linear(3, 2))(sym.var("x"))
