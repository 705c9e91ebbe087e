"""Objects that programs pickle, and what they give: run under MXNet 1.9.1, it writes both.

``PYTHONPATH=. python -m tests.gluon.numbers.pickled_rows`` with mxnet 1.9.1 and numpy 1.23 writes
``tests/gluon/data/pickled/objects.json``; ``test_pickled_objects.py`` unpickles and compares.
"""

import base64
import json
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn

__all__ = ["OBJECTS", "PICKLED", "Row"]

PICKLED = Path(__file__).parents[1] / "data" / "pickled" / "objects.json"


class Row(NamedTuple):
    """How an object is made before it is pickled, and what is asked of the one that comes back."""

    make: Callable[[], Any]
    ask: Callable[[Any], Any]


def numbers(array: Any) -> Any:
    return array.asnumpy().tolist()


# --- symbols and what holds them -------------------------------------------------------------


def dense_symbol() -> Any:
    x = mx.sym.var("x", shape=(0, 3), lr_mult=2.0)
    return mx.sym.FullyConnected(x, num_hidden=2, name="f")


def asked_symbol(symbol: Any) -> Any:
    given = {name: nd.ones(shape) for name, shape in FULL.items()}
    found = symbol.eval(**{name: given[name] for name in symbol.list_arguments()})
    return [symbol.list_outputs(), symbol.attr_dict(), [numbers(one) for one in found]]


FULL = {"x": (1, 3), "f_weight": (2, 3), "f_bias": (2,), "y": (2,)}


def np_symbol() -> Any:
    return mx.sym.np.sum(mx.sym.var("x").as_np_ndarray() + 1)


def cells() -> Any:
    stack = mx.rnn.SequentialRNNCell()
    stack.add(mx.rnn.LSTMCell(2, prefix="a_"))
    stack.add(mx.rnn.ResidualCell(mx.rnn.GRUCell(2, prefix="b_")))
    return stack


def asked_cells(cell: Any) -> Any:
    outputs, _ = cell.unroll(2, inputs=mx.sym.var("x"), merge_outputs=True)
    return [outputs.list_arguments(), cell.state_info]


def feed_forward() -> Any:
    symbol = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f"), name="softmax"
    )
    values = {"f_weight": nd.array([[1, 0, 2], [0, 1, 0]]), "f_bias": nd.array([0.5, 0])}
    return mx.model.FeedForward(symbol, num_epoch=1, arg_params=values, aux_params={})


def asked_feed_forward(model: Any) -> Any:
    return np.asarray(model.predict(np.eye(3, dtype="float32"))).tolist()


# --- parameters and blocks -------------------------------------------------------------------

ROW = [[1.0, -2.0, 3.0]]


def ready(block: Any, *shapes: tuple[int, ...], init: Any = None, **kwargs: Any) -> Any:
    block.initialize(mx.init.Uniform(0.5) if init is None else init, **kwargs)
    for shape in shapes:
        block(nd.ones(shape))
    return block


def asked_block(*shape: int) -> Callable[[Any], Any]:
    def ask(block: Any) -> Any:
        given = nd.array(np.linspace(-1, 1, int(np.prod(shape))).reshape(shape))
        output = numbers(block(given))  # which ends what waited for it
        return [output, {name: numbers(p.data()) for name, p in block.collect_params().items()}]

    return ask


def convolutions() -> Any:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(2, 3, padding=1, activation="relu"), nn.BatchNorm(), nn.PReLU())
        net.add(nn.MaxPool2D(2), nn.Flatten(), nn.Dense(2), nn.Dropout(0.5))
    ready(net, (1, 2, 4, 4))
    net.hybridize()  # after the call: what has been called hybridized MXNet cannot pickle
    return net


def shared() -> Any:
    first = nn.Dense(3, in_units=3, prefix="s_")
    net = nn.Sequential(prefix="n_")
    net.add(first, nn.Dense(3, in_units=3, params=first.params))
    return ready(net)


def with_gradients() -> Any:
    net = nn.Dense(1, in_units=3, prefix="d_")
    net.initialize(mx.init.One())
    net.weight.grad_req = "add"
    net.collect_params()["d_bias"].grad_req = "null"
    for _ in range(2):
        with autograd.record():
            loss = net(nd.array(ROW))
        loss.backward()
    return net


def asked_gradients(net: Any) -> Any:
    requests = {name: one.grad_req for name, one in net.collect_params().items()}
    return [numbers(net.weight.grad()), requests]


def asked_contexts(net: Any) -> Any:
    second = net(nd.array(ROW, ctx=mx.cpu(1)))
    return [str(net.weight.list_ctx()), str(second.context), numbers(second)]


def half() -> Any:
    net = ready(nn.Dense(2, in_units=3, prefix="d_"))
    net.cast("float16")
    return net


def trained(steps: int) -> Callable[[], Any]:
    def make() -> Any:
        net = ready(nn.Dense(1, in_units=2, prefix="d_"), init=mx.init.One())
        trainer = gluon.Trainer(net.collect_params(), "nadam", {"learning_rate": 0.1})
        for _ in range(steps):
            with autograd.record():
                loss = (net(nd.ones((1, 2))) ** 2).sum()
            loss.backward()
            trainer.step(1)
        return net, trainer

    return make


def constant() -> Any:
    made = gluon.Constant("k", nd.array([1.0, 2.0]))
    made.initialize()
    return made


def recurrent() -> Any:
    stack = rnn.SequentialRNNCell(prefix="s_")
    with stack.name_scope():
        stack.add(rnn.LSTMCell(2, input_size=3))
        stack.add(rnn.ZoneoutCell(rnn.GRUCell(2, input_size=2)))
    return ready(stack)


def asked_recurrent(cell: Any) -> Any:
    outputs, states = cell.unroll(2, nd.ones((1, 2, 3)), merge_outputs=True)
    return [numbers(outputs), [numbers(state) for state in states]]


# --- iterators and data ----------------------------------------------------------------------

DATA = np.arange(12.0, dtype="float32").reshape(6, 2)


def iterator(steps: int, **options: Any) -> Callable[[], Any]:
    def make() -> Any:
        made = mx.io.NDArrayIter(DATA, np.arange(6.0), **options)
        for _ in range(steps):
            made.next()
        return made

    return make


def rolled() -> Any:
    made = iterator(0, batch_size=4, last_batch_handle="roll_over")()
    assert len(list(made)) == 1
    made.reset()
    return made


def batches(made: Any) -> Any:
    return [[[numbers(one) for one in batch.data], batch.pad] for batch in made]


def asked_iterator(made: Any) -> Any:
    first = batches(made)
    made.reset()
    return [first, batches(made), [str(desc) for desc in made.provide_data]]


def loader() -> Any:
    dataset = gluon.data.ArrayDataset(DATA, list(range(6))).transform_first(abs)
    return gluon.data.DataLoader(dataset, 4, last_batch="keep")


# --- optimizers, metrics and others ----------------------------------------------------------


def updater(name: str, **options: Any) -> Callable[[], Any]:
    def make() -> Any:
        made = mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.1, **options))
        weight = nd.array([1.0, 2.0])
        made(0, nd.array([0.5, -0.25]), weight)
        return made, weight

    return make


def asked_updater(pair: tuple[Any, Any]) -> Any:
    made, weight = pair
    for _ in range(2):
        made(0, nd.array([0.5, -0.25]), weight)
    return numbers(weight)


SCORES = [[0.3, 0.7], [0.0, 1.0], [0.4, 0.6], [0.9, 0.1]]


def metric(name: str, **options: Any) -> Callable[[], Any]:
    def make() -> Any:
        made = mx.metric.create(name, **options)
        made.update(*observed(name, [0, 1, 1, 0]))
        return made

    return make


def observed(name: str, labels: list[int]) -> Any:
    scores = [row[1] for row in SCORES] if name == "pearsonr" else SCORES
    return [nd.array(labels)], [nd.array(scores)]


def asked_metric(made: Any) -> Any:
    before = made.get()
    made.update(*observed(made.name, [1, 1, 1, 0]))
    return [before, made.get()]


def prefixed() -> Any:
    made = mx.name.Prefix("net_")
    made.get(None, "conv")
    return made


OBJECTS: dict[str, Row] = {
    "symbol": Row(dense_symbol, asked_symbol),
    "group": Row(lambda: mx.sym.Group([dense_symbol(), mx.sym.var("y") * 2]), asked_symbol),
    "np_symbol": Row(np_symbol, lambda one: [one.list_arguments(), len(one.list_outputs())]),
    "cells": Row(cells, asked_cells),
    "feed_forward": Row(feed_forward, asked_feed_forward),
    "dense": Row(lambda: ready(nn.Dense(2, in_units=3, prefix="d_")), asked_block(1, 3)),
    "deferred": Row(
        lambda: ready(nn.Dense(2, prefix="d_"), init=mx.init.Constant(0.25)), asked_block(1, 3)
    ),
    "convolutions": Row(convolutions, asked_block(1, 2, 4, 4)),
    "shared": Row(shared, asked_block(1, 3)),
    "lstm": Row(
        lambda: ready(rnn.LSTM(2, 2, input_size=3, bidirectional=True, prefix="l_")),
        asked_block(2, 1, 3),
    ),
    "recurrent": Row(recurrent, asked_recurrent),
    "gradients": Row(with_gradients, asked_gradients),
    "contexts": Row(
        lambda: ready(nn.Dense(2, in_units=3, prefix="d_"), ctx=[mx.cpu(0), mx.cpu(1)]),
        asked_contexts,
    ),
    "half": Row(half, lambda net: [np.dtype(net.weight.dtype).name, numbers(net.weight.data())]),
    "constant": Row(constant, lambda one: [numbers(one.data()), one.grad_req]),
    "parameters": Row(
        lambda: ready(nn.Dense(2, in_units=3, prefix="d_")).collect_params(),
        lambda found: {name: numbers(one.data()) for name, one in found.items()},
    ),
    "trainer": Row(trained(0), lambda pair: pair[1].learning_rate),
    "iterator": Row(iterator(1, batch_size=2), asked_iterator),
    "discarding": Row(iterator(1, batch_size=4, last_batch_handle="discard"), asked_iterator),
    "rolled": Row(rolled, asked_iterator),
    "resized": Row(lambda: mx.io.ResizeIter(iterator(0, batch_size=2)(), 2), batches),
    "loader": Row(loader, lambda made: [[numbers(x), numbers(y)] for x, y in made]),
    **{
        name: Row(updater(name, **options), asked_updater)
        for name, options in (
            ("sgd", {"momentum": 0.9}),
            ("adam", {}),
            ("nadam", {}),
            ("lars", {"momentum": 0.9}),
            ("lbsgd", {"batch_scale": 2}),
        )
    },
    **{
        f"{name}_{average}": Row(metric(name, average=average), asked_metric)
        for name in ("f1", "mcc", "pearsonr")
        for average in ("macro", "micro")
    },
    "pcc": Row(metric("pcc"), asked_metric),
    "init_desc": Row(
        lambda: mx.init.InitDesc("a", {"b": "c"}), lambda one: [one, one.attrs, one.global_init]
    ),
    "scope": Row(lambda: mx.AttrScope(a="b"), lambda scope: scope.get({"c": "d"})),
    "prefix": Row(prefixed, lambda names: [names.get(None, "conv"), names.get("x", "conv")]),
}


def measured(names: Iterable[str] = OBJECTS) -> dict[str, Any]:
    """The pickles, and what MXNet says of the objects that come out of them."""
    found = {}
    for name in names:
        mx.random.seed(1)
        content = pickle.dumps(OBJECTS[name].make(), 2)
        answer = OBJECTS[name].ask(pickle.loads(content))  # noqa: S301  # from the line before
        found[name] = {"pickle": base64.b85encode(content).decode(), "answer": answer}
    return found


if __name__ == "__main__":
    PICKLED.write_text(json.dumps(measured(), separators=(",", ":")) + "\n")
