"""Nets on a GPU from end to end: hy, plain and captured, beside PyTorch, eager and compiled.

Large ones compute in float32, and in mixed precision with bfloat16.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from benchmarks import nets, torch_workloads
from benchmarks.gpu_session import Item, Result
from hy_ndarray import use_kernels
from mxnet import autograd, gluon, nd
from mxnet.contrib import amp
from mxnet.gluon import nn
from mxnet.gluon.model_zoo import vision

__all__ = ["COMPILED", "FULL", "SMALL", "TINY", "Sizes", "items"]

COMPILED = "PyTorch, compiled"
"""Name of the items whose nets PyTorch compiles, which takes it a minute."""
SMALL = ("MLP", "LeNet")
"""Nets whose kernels take less time than it takes to launch them."""
_LIMIT = 150.0  # seconds of an item: PyTorch compiles, or Triton's tiles are measured
_BATCH = 16  # of small nets


class Sizes(NamedTuple):
    """Sizes of nets and batches."""

    images: tuple[int, ...]
    layers: int
    units: int
    heads: int
    tokens: tuple[int, int]
    """Length and sequences of BERT."""
    words: tuple[int, int]
    """Steps and sequences of the language model."""
    vocabulary: int
    width: int
    """Of the language model."""
    resnet: str = "50"
    """Its layers."""


FULL = Sizes(
    images=(64, 3, 224, 224),
    layers=12,
    units=768,
    heads=12,
    tokens=(128, 32),
    words=(35, 64),
    vocabulary=10000,
    width=650,
)
TINY = Sizes(
    images=(2, 3, 32, 32),
    layers=1,
    units=8,
    heads=2,
    tokens=(4, 2),
    words=(3, 2),
    vocabulary=11,
    width=6,
    resnet="18",
)


class _Bert(gluon.HybridBlock):
    """An encoder over words, and scores of a word for each."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.units)
        self.layers = nn.HybridSequential()
        for _ in range(sizes.layers):
            self.layers.add(nets.EncoderLayer(sizes.units, sizes.heads))
        self.decoder = nn.Dense(sizes.vocabulary, flatten=False, in_units=sizes.units)

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        return self.decoder(self.layers(self.embedding(x)))


def _torch_bert(sizes: Sizes) -> Any:
    layers = [torch_workloads.EncoderLayer(sizes.units, sizes.heads) for _ in range(sizes.layers)]
    embedding = torch.nn.Embedding(sizes.vocabulary, sizes.units)
    return torch.nn.Sequential(embedding, *layers, torch.nn.Linear(sizes.units, sizes.vocabulary))


class _Workload(NamedTuple):
    """One net, for both."""

    name: str
    hy: Callable[[], Any]
    torch: Callable[[], Any]
    data: Any
    label: Any
    samples: int
    dtype: str = "float32"
    """Dtype of mixed precision, else float32."""


def _workloads(sizes: Sizes) -> Iterator[_Workload]:
    """The nets, those with a target first."""
    draw = np.random.default_rng(0)

    def words(shape: tuple[int, int]) -> Any:
        return draw.integers(0, sizes.vocabulary, shape)

    for small, ours, theirs, shape, classes in (
        ("MLP", nets.mlp, torch_workloads.mlp, (512,), 2),
        ("LeNet", nets.lenet, torch_workloads.lenet, (1, 28, 28), 10),
    ):
        yield _Workload(
            small,
            hy=ours,
            torch=theirs,
            data=draw.normal(size=(_BATCH, *shape)).astype("f"),
            label=draw.integers(0, classes, _BATCH),
            samples=_BATCH,
        )
    image = draw.normal(size=sizes.images).astype("f")
    resnet = _Workload(
        f"ResNet-{sizes.resnet}",
        hy=partial(vision.get_model, f"resnet{sizes.resnet}_v1", classes=1000),
        torch=getattr(torch_workloads, f"resnet{sizes.resnet}"),
        data=image,
        label=draw.integers(0, 1000, len(image)),
        samples=len(image),
    )
    bert = _Workload(
        "BERT",
        hy=partial(_Bert, sizes),
        torch=partial(_torch_bert, sizes),
        data=words(sizes.tokens),
        label=words(sizes.tokens),
        samples=sizes.tokens[1],
    )
    for work in (resnet, bert):
        yield work
        yield work._replace(name=f"{work.name} in bfloat16", dtype="bfloat16")
    yield _Workload(
        "LSTM",
        hy=partial(nets.LanguageModel, sizes.vocabulary, sizes.width),
        torch=partial(torch_workloads.LanguageModel, sizes.vocabulary, sizes.width),
        data=words(sizes.words),
        label=words(sizes.words),
        samples=sizes.words[1],
    )


def _in_torch(work: _Workload, device: str) -> Any:
    """Scope of PyTorch's mixed precision, where the net has it."""
    return torch.autocast(device, torch.bfloat16, enabled=work.dtype == "bfloat16")


def _hy_prediction(work: _Workload, context: Any, options: dict[str, Any]) -> Callable[[], Any]:
    net = work.hy()
    net.initialize(ctx=context)
    net.hybridize(**options)
    x = nd.array(work.data, ctx=context)
    return partial(net, x)


def _hy_training(work: _Workload, context: Any, options: dict[str, Any]) -> Callable[[], Any]:
    net = work.hy()
    net.initialize(ctx=context)
    net.hybridize(**options)
    x, label = (nd.array(each, ctx=context) for each in (work.data, work.label))
    net(x)
    settings = {"learning_rate": 0.01, "momentum": 0.9}
    trainer = gluon.Trainer(net.collect_params(), "sgd", settings)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize(**options)

    def step() -> None:
        with autograd.record():
            loss = loss_of(net(x), label)
        loss.backward()
        trainer.step(label.size)

    return step


def _hy_step(work: _Workload, context: Any, options: dict[str, Any]) -> Callable[[], Any]:
    """A whole step as one executable."""
    net = work.hy()
    net.initialize(ctx=context)
    net.hybridize(**options)
    x, label = (nd.array(each, ctx=context) for each in (work.data, work.label))
    net(x)
    settings = {"learning_rate": 0.01, "momentum": 0.9}
    trainer = gluon.Trainer(net.collect_params(), "sgd", settings)
    return partial(gluon.TrainStep(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer), x, label)


def _torch_prediction(work: _Workload, device: str, compiles: bool) -> Callable[[], Any]:
    net = work.torch().to(device).eval()
    x = torch.from_numpy(work.data).to(device)
    run = torch.compile(net) if compiles else net

    def predict() -> Any:
        with torch.inference_mode(), _in_torch(work, device):
            return run(x)

    return predict


def _torch_training(work: _Workload, device: str, compiles: bool) -> Callable[[], Any]:
    net = work.torch().to(device).train()
    x, label = (torch.from_numpy(each).to(device) for each in (work.data, work.label))
    run = torch.compile(net) if compiles else net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, fused=True)

    def step() -> None:
        optimizer.zero_grad()
        with _in_torch(work, device):
            loss: Any = functional.cross_entropy(run(x).flatten(0, -2), label.flatten())
        loss.backward()
        optimizer.step()

    return step


def items(
    context: Any,
    device: str,
    tables: tuple[str, ...],
    sizes: Sizes,
    seconds: Callable[[Callable[[], Any]], float],
) -> Iterator[Item]:
    """Items of all nets; ``seconds`` times a call whose work may still be queued when it returns.

    Args:
        context: Where hy's nets are.
        device: The same for torch.
        tables: Tables by which hy computes.
        sizes: How large all is.
        seconds: Returns how long a call takes.
    """
    static = {"static_alloc": True, "static_shape": True}
    for work in _workloads(sizes):
        predictions = {"plain": _hy_prediction, "captured": _hy_prediction}
        modes = (
            ("prediction", predictions, _torch_prediction),
            (
                "training",
                {"plain": _hy_training, "captured": _hy_training, "one step": _hy_step},
                _torch_training,
            ),
        )
        for mode, ours, theirs in modes:
            stage = f"{work.name}, {mode}"
            for way, compiles in (("PyTorch, eager", False), (COMPILED, True)):
                make = partial(theirs, work, device, compiles)
                run = partial(_timed, make, work, seconds)
                yield Item(stage, way, run, _LIMIT)
            for table in tables:
                for way, make_ours in ours.items():
                    options = {} if way == "plain" else static
                    make = partial(make_ours, work, context, options)
                    run = partial(_by_table, table, context, make, work, seconds)
                    yield Item(stage, f"hy, {table}, {way}", run, _LIMIT)


def _by_table(
    table: str,
    context: Any,
    make: Callable[[], Callable[[], Any]],
    work: _Workload,
    seconds: Callable[[Callable[[], Any]], float],
) -> Result:
    device = "gpu" if context.device_type == "gpu" else "cpu"
    precision = nullcontext() if work.dtype == "float32" else amp.autocast(work.dtype)
    with use_kernels(table, device=device), precision:
        return _timed(make, work, seconds)


def _timed(
    make: Callable[[], Callable[[], Any]],
    work: _Workload,
    seconds: Callable[[Callable[[], Any]], float],
) -> Result:
    took = seconds(make())
    return {"ms": took * 1e3, "samples/s": work.samples / took}
