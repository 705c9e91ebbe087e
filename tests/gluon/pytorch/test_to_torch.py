"""Blocks in PyTorch: one set of weights, hy's numbers and gradients."""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import HybridBlock, SymbolBlock, nn, rnn, to_torch
from hy_gluon.parameter.errors import UnknownShapeError
from hy_ndarray import AutogradError, autograd, nd, random, use_kernels
from hy_symbol import sym
from tests.gluon.pytorch.nets import NETS, close, convolutional, images, initialized, shared


@pytest.fixture(params=["numpy", "torch"], autouse=True)
def _on_both_tables(request: pytest.FixtureRequest) -> Iterator[None]:
    with use_kernels(request.param):
        random.seed(3)
        torch.manual_seed(3)
        yield


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("training", [False, True])
def test_outputs_and_gradients_are_those_of_the_block(name: str, training: bool) -> None:
    make, shape = NETS[name]
    net: Any = make()
    x: Any = nd.random.normal(shape=shape)
    module = to_torch(net, x).train(training)
    x.attach_grad()
    theirs = shared(x).requires_grad_()
    with autograd.record(train_mode=training):
        ours = net(x)
        loss = (ours * ours).sum()
    loss.backward()
    gradients = {k: p.grad().asnumpy() for k, p in learned(net).items()}
    out = module(theirs)
    (out * out).sum().backward()
    close(out, ours.asnumpy())
    close(theirs.grad, x.grad.asnumpy())
    found = {key: p for key, p in module.named_parameters() if p.requires_grad}
    assert set(found) == set(gradients)
    for key, parameter in found.items():
        close(parameter.grad, gradients[key])


def learned(net: HybridBlock) -> dict[str, Any]:
    found = net._collect_params_with_prefix()
    return {name: p for name, p in found.items() if p.grad_req != "null"}


def test_the_state_dict_has_the_names_of_saved_parameters() -> None:
    net = convolutional()
    assert set(to_torch(net).state_dict()) == set(net._collect_params_with_prefix())


def test_steps_of_an_optimizer_of_torch_are_seen_by_the_block() -> None:
    net, x = convolutional(), images()
    module = to_torch(net)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    before = net(x).asnumpy()
    module(shared(x)).square().sum().backward()
    optimizer.step()
    after = net(x).asnumpy()
    assert np.abs(after - before).max() > 0.01
    close(module.eval()(shared(x)), after)


def test_values_set_in_hy_are_seen_by_the_module() -> None:
    net = initialized(nn.Dense(2, in_units=3))
    module = to_torch(net)
    net.weight.set_data(nd.ones((2, 3)))
    close(module(torch.ones(1, 3)), np.full((1, 2), 3.0))


def test_running_statistics_move_in_training_only() -> None:
    net, x = convolutional(), images()
    module, mean = to_torch(net), net[1].running_mean
    module.eval()(shared(x))
    assert not mean.data().asnumpy().any()
    module.train()(shared(x))
    moved = mean.data().asnumpy()
    mean.set_data(nd.zeros(mean.shape))
    with autograd.record():
        net(x)
    np.testing.assert_allclose(moved, mean.data().asnumpy(), rtol=1e-4)


def test_what_the_block_does_not_learn_torch_does_not_learn() -> None:
    net = initialized(nn.Dense(2, in_units=3))
    net.bias.grad_req = "null"
    module = to_torch(net)
    module(torch.ones(1, 3)).sum().backward()
    assert module.bias.grad is None
    assert module.weight.grad is not None
    assert not module.bias.requires_grad


def test_gradients_can_be_differentiated_again() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3, activation="tanh"), nn.Dense(1, in_units=4))
    net.initialize()
    module = to_torch(net)
    peer = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    peer.load_state_dict({k.replace("1.", "2."): v for k, v in module.state_dict().items()})
    found = []
    for each in (module, peer):
        x = torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_()
        (dx,) = torch.autograd.grad(each(x).sum(), x, create_graph=True)
        dx.square().sum().backward()
        found.append((x.grad, next(each.parameters()).grad))
    for ours, theirs in zip(*found, strict=True):
        close(ours, theirs.numpy())


def test_gradients_of_dropout_are_not_differentiated_again() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), nn.Dropout(0.5))
    net.initialize()
    x = torch.ones(2, 3, requires_grad=True)
    (dx,) = torch.autograd.grad(to_torch(net)(x).sum(), x, create_graph=True)
    with pytest.raises(AutogradError, match=r"draw new numbers, .*; call eval\(\)"):
        torch.autograd.grad(dx.sum(), x)


def test_dropout_draws_from_the_generator_that_torch_seeds() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5))
    module, x = to_torch(net), torch.ones(50)
    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(module(x).numpy())
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()


@pytest.mark.parametrize("name", ["convolutional", "recurrent"])
def test_a_pickle_has_weights_and_modes_of_its_own(name: str) -> None:
    make, shape = NETS[name]
    x: Any = nd.random.normal(shape=shape)
    module = to_torch(make(), x).eval()
    twin = pickle.loads(pickle.dumps(module))  # noqa: S301  # our own
    assert not twin.training
    expected = module(shared(x)).detach().numpy()
    close(twin(shared(x)), expected)
    twin.train()(shared(x)).square().sum().backward()
    with torch.no_grad():
        for parameter in twin.parameters():
            assert parameter.grad is not None
            parameter.zero_()
    close(module(shared(x)), expected)
    assert (twin.eval()(shared(x)) - module(shared(x))).abs().max() > 0.001


def test_a_copy_has_weights_of_its_own() -> None:
    net, x = convolutional(), images()
    module = to_torch(net).eval()
    twin = copy.deepcopy(module)
    with torch.no_grad():
        twin.get_parameter("0.weight").zero_()
    close(module(shared(x)), net(x).asnumpy())
    assert (twin(shared(x)) - module(shared(x))).abs().max() > 0.001


def test_it_moves_to_another_dtype() -> None:
    net = initialized(nn.Dense(2, in_units=3))
    module = to_torch(net).double()
    assert module(torch.ones(1, 3, dtype=torch.float64)).dtype is torch.float64


def test_nested_arguments_and_results_stay_nested() -> None:
    layer = initialized(rnn.LSTM(5, input_size=3))
    x, states = nd.random.normal(shape=(4, 2, 3)), layer.begin_state(2)
    out, (h, c) = to_torch(layer, x, states)(shared(x), [shared(state) for state in states])
    expected, (h0, c0) = layer(x, states)
    for ours, theirs in ((out, expected), (h, h0), (c, c0)):
        close(ours, theirs.asnumpy())


def test_shapes_that_the_block_reads_may_change() -> None:
    layer = initialized(rnn.GRU(5, input_size=3))
    module = to_torch(layer, nd.ones((4, 2, 3)))
    x = nd.random.normal(shape=(6, 3, 3))
    close(module(shared(x)), layer(x).asnumpy())


class Scaled(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        return F.contrib.foreach(
            lambda row, state: (row + state, row + state), x, F.zeros_like(x[0])
        )[0]


def test_loops_run_for_the_slices_of_each_call() -> None:
    module = to_torch(Scaled(), nd.ones((3, 2)))
    for count in (3, 5):
        expected = np.cumsum(np.ones((count, 2)), axis=0)
        close(module(torch.ones(count, 2)), expected)


def test_shapes_wait_for_inputs() -> None:
    net = nn.Dense(2)
    net.initialize()
    with pytest.raises(UnknownShapeError, match="give the layer its input size"):
        to_torch(net)
    assert to_torch(net, torch.ones(4, 3)).weight.shape == (2, 3)


def test_a_symbol_block_runs_in_torch() -> None:
    data = sym.var("data")
    block = SymbolBlock(sym.FullyConnected(data, num_hidden=2, name="fc"), data)
    x = nd.ones((1, 3))
    block.initialize()
    block(x)
    close(to_torch(block)(shared(x)), block(x).asnumpy())


@pytest.mark.slow
def test_a_resnet_of_the_zoo_runs_in_torch() -> None:
    from hy_gluon.model_zoo import vision  # noqa: PLC0415  # the others need no zoo

    net, x = vision.resnet18_v1(classes=10), nd.random.normal(shape=(2, 3, 32, 32))
    net.initialize()
    close(to_torch(net, x).eval()(shared(x)), net(x).asnumpy())


def test_explanations_name_the_kernels_of_modules() -> None:
    module = to_torch(convolutional(), images()).eval()
    explanation = module.explain(shared(images(2)))
    operators = [row.operators[0] for row in explanation.rows]
    assert operators[0] == "Convolution"
    assert all(row.kernel for row in explanation.rows)
    assert str(explanation.why).endswith("torch.compile makes code of them")
