"""Blocks in PyTorch under torch.compile and torch.export."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from hy_gluon import HybridBlock, nn, rnn, to_torch
from hy_kernels.torch.costs import COSTS
from hy_ndarray import nd, random
from tests.changed_costs import change_costs
from tests.gluon.pytorch.nets import NETS, close, initialized, shared

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def _compiled_anew() -> Iterator[None]:
    random.seed(3)
    torch.manual_seed(3)
    yield
    torch.compiler.reset()


def made(name: str) -> tuple[Any, nd.NDArray]:
    """A module, and an input of it."""
    make, shape = NETS[name]
    x: nd.NDArray = nd.random.normal(shape=shape)
    return to_torch(make(), x), x


def gone_through(run: Any, x: nd.NDArray) -> list[Any]:
    """The output and all gradients, where ``run`` does what a module does, or is one."""
    torch.manual_seed(3)
    given = shared(x).requires_grad_()
    found = run(given)
    found.square().sum().backward()
    gradients = [p.grad.numpy().copy() for p in run.parameters() if p.grad is not None]
    run.zero_grad()
    return [found.detach().numpy(), given.grad, *gradients]


def check_compiled(module: Any, x: nd.NDArray, backend: str) -> None:
    expected = gone_through(module, x)
    found = gone_through(torch.compile(module, backend=backend, fullgraph=True), x)
    assert len(found) == len(expected) > 2
    for one, other in zip(found, expected, strict=True):
        close(torch.as_tensor(one), other)


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("training", [False, True])
def test_it_is_compiled_as_one_graph(name: str, training: bool) -> None:
    module, x = made(name)
    check_compiled(module.train(training), x, "aot_eager")


@pytest.mark.filterwarnings("ignore")  # of inductor's own
def test_inductor_compiles_an_lstm() -> None:
    check_compiled(*made("recurrent"), "inductor")


class Noisy(HybridBlock):
    """Adds what each distribution draws, and drops the half of it."""

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        random = F.random
        drawn = random.uniform(shape=(1, 3)) + random.normal(shape=(1, 3))
        drawn = F.broadcast_add(x + random.uniform_like(x) + random.poisson_like(x), drawn)
        leaky = F.LeakyReLU(drawn + F.sample_normal(x, F.abs(x)), act_type="rrelu")[0]
        return F.Dropout(F.Dropout(leaky, p=0.5), p=0.5, axes=(0,))


@pytest.mark.parametrize("dynamic", [None, True])
def test_what_is_drawn_is_compiled_for_batches_of_any_size(dynamic: bool | None) -> None:
    module = to_torch(Noisy(), nd.ones((2, 3))).train()
    how: Any = {"backend": "aot_eager", "fullgraph": True, "dynamic": dynamic}
    compiled = torch.compile(module, **how)
    for count in (2, 5, 7):
        x = torch.ones(count, 3, requires_grad=True)
        found = compiled(x)
        found.sum().backward()
        assert x.grad is not None
        assert found.shape == (count, 3)
        assert ((x.grad == 0) == (found == 0)).all()


def test_compiled_dropout_draws_from_the_generator_that_torch_seeds() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5))
    compiled, found = torch.compile(to_torch(net), backend="aot_eager"), []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(compiled(torch.ones(50)).numpy())
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()


def test_a_long_recurrent_layer_is_one_operator() -> None:
    layer = initialized(rnn.GRU(3, num_layers=2, dropout=0.5, bidirectional=True, input_size=2))
    module = to_torch(layer, nd.ones((50, 2, 2)))
    seen: list[str] = []

    def backend(graph: Any, _: Any) -> Any:
        seen.extend(str(node.target) for node in graph.graph.nodes)
        return graph

    torch.compile(module.eval(), backend=backend, fullgraph=True)(torch.ones(50, 2, 2))
    check_compiled(module.train(), nd.ones((50, 2, 2)), "aot_eager")
    assert len(seen) < 50  # steps


@pytest.mark.parametrize("name", ["gated", "projected"])
def test_weights_that_are_packed_elsewhere_are_exported_as_they_are(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_costs(monkeypatch, COSTS, recurrent={"packed": 0})
    check_exported(name, strict=False)


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("strict", [False, True])
def test_an_exported_program_predicts(name: str, strict: bool) -> None:
    check_exported(name, strict=strict)


def check_exported(name: str, *, strict: bool) -> None:
    module, x = made(name)
    expected = module.eval()(shared(x))
    program = torch.export.export(module, (shared(x),), strict=strict)
    close(program.module()(shared(x)), expected.detach().numpy())
    assert "hy_kernels" not in str(program.graph)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_an_exported_program_is_loaded_again(name: str, training: bool, tmp_path: Path) -> None:
    module, x = made(name)
    program = torch.export.export(module.train(training), (shared(x),))
    torch.export.save(program, tmp_path / "net.pt2")
    loaded = torch.export.load(tmp_path / "net.pt2").module()
    close(loaded(shared(x)), module(shared(x)).detach().numpy())


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", ["convolutional", "attentive", "deconvolution", "normed"])
def test_an_exported_program_takes_batches_of_any_size(
    name: str, training: bool, tmp_path: Path
) -> None:
    module, x = made(name)
    sizes = ({0: torch.export.Dim("batch")},)
    args = (shared(x),)
    program = torch.export.export(module.train(training), args, dynamic_shapes=sizes)
    torch.export.save(program, tmp_path / "net.pt2")
    loaded = torch.export.load(tmp_path / "net.pt2").module()
    many = torch.cat([shared(x)] * 7)
    close(loaded(many), module(many).detach().numpy())
