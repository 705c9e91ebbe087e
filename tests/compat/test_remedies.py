"""Mistakes as users make them: the message says what was given, what was expected, what to do.

Each is an error of hy, or of Python where that says as much.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import MXNetError, autograd, gluon, nd, sym
from mxnet.gluon import nn, rnn
from mxnet.gluon.data import ArrayDataset, DataLoader, SequentialSampler, SimpleDataset

Mistake = Callable[[], Any]


def dense() -> Any:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    return net


def read_too_early() -> None:
    net = nn.Dense(2)
    net.initialize()
    net.weight.data()


def backward_without_record() -> None:
    y = nd.ones((2,)) * 2
    y.backward()


def in_sequence() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=3))
    return net


def called(layer: Any, *inputs: Any) -> Any:
    layer.initialize()
    return layer(*inputs)


def exported() -> None:
    net = dense()
    net.hybridize()
    net(nd.ones((1, 3)))
    net.export("net")


def exported_symbol() -> Any:
    exported()
    return sym.load("net-symbol.json")


def imported(*arguments: Any) -> Any:
    exported()
    return gluon.SymbolBlock.imports(*arguments)


def with_text(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def loaded(saved: Any, into: Any) -> None:
    saved.initialize()
    saved.save_parameters("saved.params")
    into.load_parameters("saved.params")


def stepped(size: float, rate: Any = 0.1) -> None:
    net = dense()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})
    with autograd.record():
        loss = net(nd.ones((1, 3))).sum()
    loss.backward()
    trainer.step(size)


def trainer(*arguments: Any) -> gluon.Trainer:
    return gluon.Trainer(dense().collect_params(), *arguments)


def backward_twice() -> None:
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        y = (x * x).sum()
    y.backward()
    y.backward()


class NoSuper(gluon.HybridBlock):
    def __init__(self) -> None:
        self.dense = nn.Dense(2)


class Branching(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002  # MXNet's
        return x if x.sum() > 0 else -x


def hybridized(block: Any) -> None:
    block.hybridize()
    block(nd.ones((2,)))


ARRAYS: dict[str, tuple[Mistake, str]] = {
    "reshape": (
        lambda: nd.ones((2, 2)).reshape((3,)),
        r"reshape: cannot reshape \(2, 2\) \(4 elements\) into \(3,\)",
    ),
    "dot": (
        lambda: nd.dot(nd.ones((2, 3)), nd.ones((2, 3))),
        r"inner dimensions differ: lhs \(2, 3\) has 3, rhs \(2, 3\) has 2",
    ),
    "np dot": (
        lambda: mx.np.dot(mx.np.ones((2, 3)), mx.np.ones((2, 3))),
        r"inner dimensions differ: a \(2, 3\) has 3, b \(2, 3\) has 2",
    ),
    "sum of shapes": (
        lambda: nd.ones((2, 3)) + nd.ones((2, 4)),
        r"\(2, 3\) and \(2, 4\) cannot be broadcast: 3 against 4",
    ),
    "sum of dtypes": (
        lambda: nd.ones((2,)) + nd.ones((2,), dtype="int32"),
        "one dtype, got lhs .* float32, rhs .* int32; cast one of them with astype",
    ),
    "gpu": (lambda: nd.ones((2,), ctx=mx.gpu(0)), "no NVIDIA driver found .* use mx.cpu"),
    "misspelt operator": (lambda: nd.sofmax(nd.ones((2,))), "did you mean 'softmax'"),  # type: ignore[attr-defined]
    "misspelt parameter": (
        lambda: nd.sum(nd.ones((2, 3)), axes=1),  # type: ignore[call-arg]
        "sum: unknown argument 'axes'; did you mean 'axis'",
    ),
    "missing parameter": (
        lambda: nd.one_hot(nd.array([0, 1])),  # type: ignore[call-arg]
        "one_hot: required parameter depth is missing",
    ),
    "one of several words": (
        lambda: nd.Pooling(nd.ones((1, 1, 4, 4)), pool_type="mean", kernel=(2, 2)),  # type: ignore[arg-type]
        "pool_type='mean' must be one of 'avg', 'lp', 'max', 'sum'",
    ),
    "range of a parameter": (
        lambda: nd.Dropout(nd.ones((2,)), p=2),
        "Dropout: parameter p=2 must be a number from 0 to 1",
    ),
    "axis": (
        lambda: nd.ones((2, 3)).sum(axis=4),
        r"axis=4 is outside the 2 axes of data \(2, 3\)",
    ),
    "order of axes": (
        lambda: nd.ones((2, 3)).transpose((0, 1, 2)),
        r"transpose: axes=\(0, 1, 2\) must be a permutation of the 2 axes",
    ),
    "concat": (
        lambda: nd.concat(nd.ones((2, 3)), nd.ones((3, 2)), dim=1),
        r"\(2, 3\) and \(3, 2\) must agree in all axes except dim=1",
    ),
    "split": (
        lambda: nd.split(nd.ones((2, 3)), num_outputs=2, axis=1),
        r"axis 1 of data \(2, 3\) cannot be divided into 2 equal parts",
    ),
    "broadcast_to": (
        lambda: nd.ones((2, 3)).broadcast_to((2, 4)),
        r"cannot broadcast \(2, 3\) to \(2, 4\)",
    ),
    "take": (
        lambda: nd.take(nd.ones((3, 2)), nd.array([0.0, 7]), mode="raise"),
        "take: index 7 is outside of an axis of 3",
    ),
    "index": (lambda: nd.ones((2,))[5], "index 5 is out of bounds for axis 0 with size 2"),
    "float as an index": (lambda: nd.ones((2,))[1.5], "not a valid index; use integers, slices"),
    "assignment": (
        lambda: nd.ones((2, 3)).__setitem__(slice(None), np.ones((4,))),
        r"cannot broadcast a value \(4,\) to the indexed part \(2, 3\)",
    ),
    "truth of many": (
        lambda: bool(nd.ones((2,))),
        r"ambiguous: \(2,\); use x.asnumpy\(\).any\(\)",
    ),
    "truth of many in np": (lambda: bool(mx.np.ones((2,))), r"use x.any\(\) or x.all\(\)"),
    "scalar": (lambda: nd.ones((2,)).asscalar(), r"not a scalar: \(2,\) has 2 elements"),
    "ragged": (
        lambda: nd.array([[1, 2], [3]]),
        "source_array must be a rectangular array of numbers",
    ),
    "dtype": (lambda: nd.ones((2,), dtype="float33"), "'float33'; known: .*; did you mean"),
    "out": (
        lambda: nd.exp(nd.ones((2,)), out=nd.ones((2,), dtype="int32")),
        "the result is float32, but out is int32; pass an out of float32",
    ),
    "copyto": (lambda: nd.ones((2,)).copyto(nd.ones((3,))), r"source \(2,\) and target \(3,\)"),
    "save": (
        lambda: nd.save("a.params", {"a": np.ones(2)}),  # type: ignore[dict-item]
        r"not a numpy array; make an NDArray of it with nd.array",
    ),
    "backward without record": (
        backward_without_record,
        r"call attach_grad\(\) on the inputs and compute under record\(\)",
    ),
    "backward twice": (backward_twice, "freed by an earlier .* pass retain_graph=True"),
}

NETS: dict[str, tuple[Mistake, str]] = {
    "misspelt argument": (
        lambda: nn.Dense(2, units_in=3),
        r"Dense: unknown argument 'units_in'; did you mean .* \(it takes units",
    ),
    "misspelt activation": (
        lambda: nn.Dense(2, activation="rleu"),
        "'rleu' must be one of .* did you mean 'relu'",
    ),
    "misspelt attribute": (lambda: dense().wieght, "did you mean 'weight'"),
    "not initialized": (lambda: nn.Dense(2)(nd.ones((1, 3))), r"call initialize\(\) on the block"),
    "deferred": (
        read_too_early,
        r"Run a batch through the network first, or give the layers their input sizes",
    ),
    "no super": (NoSuper, r"call super\(\).__init__\(\) first in NoSuper"),
    "a class as a child": (
        lambda: nn.HybridSequential().add(nn.Dense),  # type: ignore[arg-type]
        r"not the class Dense; add an instance of it, Dense\(...\)",
    ),
    "numpy's array": (lambda: dense()(np.ones((1, 3))), r"not a numpy array; .* nd.array\(...\)"),
    "features": (
        lambda: dense()(nd.ones((1, 4))),
        r"data \(1, 4\) has 4 features, the weight takes 3",
    ),
    "channels last": (
        lambda: called(nn.Conv2D(4, 3, in_channels=3), nd.ones((1, 32, 32, 3))),
        r"looks like NHWC where NCHW is expected: transpose it with x.transpose",
    ),
    "a small image": (
        lambda: called(nn.Conv2D(4, 5, in_channels=3), nd.ones((1, 3, 3, 3))),
        "kernel size 5 .* exceeds the padded size 3: data has 3, padding 0",
    ),
    "kernel": (lambda: nn.Conv2D(4, (3, 3, 3)), r"an int or 2 ints, but \(3, 3, 3\) has 3"),
    "axes of a sequence": (
        lambda: called(rnn.LSTM(4), nd.ones((5, 3))),
        r"inputs \(5, 3\) must have the axes TNC: 3, and have 2",
    ),
    "states": (
        lambda: called(rnn.LSTM(4), nd.ones((5, 2, 3)), nd.ones((1, 2, 4))),
        r"expected 2 states, as begin_state\(batch_size\) makes them, got 1",
    ),
    "a branch": (lambda: hybridized(Branching()), "cannot decide a branch; use where"),
    "no forward": (
        lambda: gluon.HybridBlock()(nd.ones((2,))),
        "HybridBlock must define forward or hybrid_forward",
    ),
    "one-hot labels": (
        lambda: gluon.loss.SoftmaxCrossEntropyLoss()(nd.ones((4, 3)), nd.ones((4, 3))),
        "of one-hot labels take argmax",
    ),
    "labels": (
        lambda: gluon.loss.L2Loss()(nd.ones((2, 3)), nd.ones((2, 4))),
        r"labels \(2, 4\) have 8, predictions \(2, 3\) have 6",
    ),
    "initializer": (
        lambda: called(nn.Dense(2, weight_initializer="xaver"), nd.ones((1, 3))),
        "did you mean 'xavier'",
    ),
    "values of a parameter": (
        lambda: dense().weight.set_data(nd.ones((3, 2))),
        r"shape \(3, 2\) contradicts its shape \(2, 3\)",
    ),
    "regular expression": (
        lambda: dense().collect_params("["),
        r"collect_params: '\[' is no regular expression",
    ),
    "model": (lambda: gluon.model_zoo.vision.get_model("resnet19_v1"), "did you mean 'resnet18_v1"),
    "engine": (
        lambda: dense().hybridize(backend="tensorrt") or dense()(nd.ones((1, 3))),
        "no backend is called 'tensorrt'; known are",
    ),
    "shape of a symbol": (
        lambda: sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc").infer_shape(
            x=(2, 3), fc_weight=(3, 9)
        ),
        r"FullyConnected 'fc': weight \(3, 9\) must be \(3, 3\)",
    ),
    "value of a symbol": (lambda: sym.var("x").asnumpy(), "has no value before it is bound"),
}

TRAINING: dict[str, tuple[Mistake, str]] = {
    "optimizer": (lambda: trainer("adm"), "Cannot find optimizer adm; .* did you mean 'adam'"),
    "optimizer's argument": (
        lambda: trainer("adam", {"learningrate": 0.1}),
        "unknown argument 'learningrate'; did you mean 'learning_rate'",
    ),
    "a rate alone": (lambda: trainer("sgd", 0.1), r"such as \{'learning_rate': 0.1\}, not 0.1"),
    "a word as the rate": (
        lambda: stepped(1, "fast"),
        "SGD: learning_rate must be a number, not 'fast'",
    ),
    "a net": (
        lambda: gluon.Trainer(dense(), "sgd"),
        r"not a Dense; those of a net are net.collect_params\(\)",
    ),
    "no gradient": (lambda: trainer("sgd").step(1), "ignore_stale_grad=True"),
    "batch of nothing": (lambda: stepped(0), "batch_size, which must be above 0, not 0"),
    "metric": (lambda: mx.metric.create("acuracy"), "did you mean 'accuracy'"),
    "values of a metric": (
        lambda: mx.metric.Accuracy().update(1, 2),
        "labels of a metric are an array or a list of arrays, not a int",
    ),
    "lengths": (
        lambda: ArrayDataset(np.ones((3, 2)), np.ones((4,))),
        "array 0 has 3 items, array 1 has 4",
    ),
    "no batch size": (
        lambda: DataLoader(ArrayDataset(np.ones((3, 2)))),
        "batch_size must be given",
    ),
    "two orders": (
        lambda: DataLoader(
            ArrayDataset(np.ones((3, 2))), 2, shuffle=True, sampler=SequentialSampler(3)
        ),
        "shuffle cannot be combined with sampler",
    ),
    "items of several sizes": (
        lambda: list(DataLoader(SimpleDataset([np.ones(2), np.ones(3)]), 2)),
        r"differ in shape, \(2,\) and \(3,\); give the loader a batchify_fn",
    ),
    "uneven parts": (
        lambda: gluon.utils.split_and_load(nd.ones((3, 2)), [mx.cpu(0), mx.cpu(1)]),
        "Use a batch size that's multiple of 2",
    ),
    "store": (lambda: mx.kv.create("dist_foo"), "no kvstore 'dist_foo'; known are"),
    "schedule": (lambda: mx.lr_scheduler.FactorScheduler(step=0), "step is at least 1, not 0"),
    "image without channels": (
        lambda: mx.image.imresize(nd.ones((4, 4)), 2, 2),
        r"an image \(4, 4\) must have the axes height, width and channels",
    ),
    "no image": (lambda: mx.image.imdecode(b"text"), "expected a whole image, .* found text"),
    "channels of a mean": (
        lambda: gluon.data.vision.transforms.Normalize((0.1, 0.2, 0.3))(nd.ones((1, 4, 4))),
        r"one for each of the 1 channels of data \(1, 4, 4\)",
    ),
}

FILES: dict[str, tuple[Mistake, str]] = {
    "no file": (lambda: dense().load_parameters("no.params"), "No such file .* 'no.params'"),
    "another size": (
        lambda: loaded(nn.Dense(2, in_units=3), nn.Dense(3, in_units=3)),
        r"expected \(3, 3\) vs saved \(2, 3\); build the net with the sizes",
    ),
    "other names": (
        lambda: loaded(in_sequence(), nn.Dense(2, in_units=3)),
        "'weight' is missing in file: saved.params; the nearest name is '0.weight'",
    ),
    "text": (
        lambda: dense().load_parameters(with_text("a.params", "text")),
        "expected arrays of MXNet .* found text; is it the right file",
    ),
    "swapped files": (
        lambda: imported("net-0000.params", ["data"], "net-symbol.json"),
        "not JSON: it holds arrays of MXNet .* load_parameters or nd.load reads it",
    ),
    "input": (
        lambda: imported("net-symbol.json", ["data0"], "net-0000.params"),
        "no input 'data0'; inputs: data, .* did you mean 'data'",
    ),
    "damaged graph": (
        lambda: sym.load(with_text("a-symbol.json", "{")),
        "a-symbol.json: not JSON: Expecting property name",
    ),
    "export too early": (lambda: dense().export("net"), r"first call block.hybridize\(\)"),
    "layer": (
        lambda: exported_symbol().get_internals()["fc7_output"],
        "has no output named 'fc7_output'",
    ),
}

KINDS = {"arrays": ARRAYS, "nets": NETS, "training": TRAINING, "files": FILES}
ROWS = [(kind, name) for kind, rows in KINDS.items() for name in rows]


def test_there_are_at_least_seventy() -> None:
    assert len(ROWS) >= 70


@pytest.mark.parametrize(("kind", "name"), ROWS, ids=[f"{kind}: {name}" for kind, name in ROWS])
def test_the_message_says_what_to_do(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "gpu" and mx.num_gpus():
        pytest.skip("this machine has a GPU")
    monkeypatch.chdir(tmp_path)
    call, message = KINDS[kind][name]
    expected = (MXNetError, AttributeError, NotImplementedError, FileNotFoundError)
    with pytest.raises(expected) as caught:
        call()
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)
