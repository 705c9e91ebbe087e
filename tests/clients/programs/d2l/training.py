"""The training loops of chapters 3 to 8 and 11, on data made up."""

import random
from functools import partial
from typing import Any

from d2l import mxnet as d2l

import mxnet as mx
from mxnet import autograd, gluon, np
from mxnet.gluon import nn
from tests.clients.formula import filled, prescribed
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import array, curves, downloaded, in_turn

SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()
VERSES = "\n".join(
    ["The Time Traveller, by H. G. Wells", "", "time travels with a traveller of the time"] * 6
)


def checks(side: str) -> Checks:
    """Each loop with the networks of its chapter."""
    del side
    linear: Checks = {
        "chapter 3, from scratch": softmax_from_scratch,
        "chapter 3, by Gluon": softmax_by_gluon,
        "chapter 6, LeNet": partial(lenet, hybrid=False),
        "chapter 6, LeNet hybridized": partial(lenet, hybrid=True),
        "chapter 8, from scratch": partial(recurrent_from_scratch, random_batches=False),
        "chapter 8, random batches": partial(recurrent_from_scratch, random_batches=True),
    }
    return linear | {
        "chapter 8, RNN": partial(recurrent, gluon.rnn.RNN, activation="tanh"),
        "chapter 8, GRU": partial(recurrent, gluon.rnn.GRU),
        "chapter 8, LSTM": partial(recurrent, gluon.rnn.LSTM),
        "chapter 11, two dimensions": two_dimensions,
        "chapter 11, from scratch": optimizers_from_scratch,
        "chapter 11, by Gluon": optimizers_by_gluon,
    }


def pictures(name: str, count: int, size: int, classes: int) -> Any:
    """Pictures with one channel, and the classes that a linear function gives them."""
    x = array(name, count, 1, size, size)
    scores = np.dot(x.reshape(count, -1), array("classes", size * size, classes))
    return x, scores.argmax(axis=1).astype("int32")


def softmax_from_scratch() -> Any:
    """Weights as arrays, a cross-entropy by indices, descent by hand."""
    w, b = array("w", 16, 3) / 10, np.zeros(3)
    for parameter in (w, b):
        parameter.attach_grad()

    def net(x: Any) -> Any:
        raised = np.exp(np.dot(x.reshape(-1, 16), w) + b)
        return raised / raised.sum(1, keepdims=True)

    def cross_entropy(y_hat: Any, y: Any) -> Any:
        return -np.log(y_hat[range(len(y_hat)), y])

    data = in_turn(*pictures("softmax", 96, 4, 3), size=16)
    found = curves(
        d2l.train_ch3, net, data, data, cross_entropy, 9, lambda size: d2l.sgd([w, b], 0.5, size)
    )
    return [found, w, b]


def softmax_by_gluon() -> Any:
    """Dense layers and dropout that drops nothing."""
    net = nn.Sequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dropout(0), nn.Dense(3))
    filled(net)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})
    data = in_turn(*pictures("softmax", 96, 4, 3), size=16)
    return [curves(d2l.train_ch3, net, data, data, SOFTMAX, 8, trainer), net[0].weight.data()]


def lenet(hybrid: bool) -> Any:
    """Two convolutions, pooling, three dense layers."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(channels=6, kernel_size=5, padding=2, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Dense(120, activation="sigmoid"),
        nn.Dense(84, activation="sigmoid"),
        nn.Dense(10),
    )
    prescribed(net)
    if hybrid:
        net.hybridize()
    x, y = pictures("lenet", 40, 28, 10)
    found = curves(
        d2l.train_ch6, net, in_turn(x, y, size=8), in_turn(x[:8], y[:8], size=4), 2, 0.9, mx.cpu()
    )
    return [found, net(x[:3]), net[0].weight.data()]


def verses(random_batches: bool = False) -> Any:
    """Mini-batches of a text's characters and its vocabulary."""
    random.seed(3)
    with downloaded({"timemachine.txt": VERSES}):
        return d2l.load_data_time_machine(4, 8, random_batches, 400)


def parameters(vocab: int, hidden: int, device: Any) -> Any:
    """Of a recurrent network of arrays."""
    shapes = [(vocab, hidden), (hidden, hidden), (hidden,), (hidden, vocab), (vocab,)]
    made = [array(str(i), *shape).as_in_ctx(device) / 4 for i, shape in enumerate(shapes)]
    for one in made:
        one.attach_grad()
    return made


def steps(inputs: Any, state: Any, params: Any) -> Any:
    """One step after the other."""
    w_xh, w_hh, b_h, w_hq, b_q = params
    (hidden,) = state
    outputs = []
    for x in inputs:
        hidden = np.tanh(np.dot(x, w_xh) + np.dot(hidden, w_hh) + b_h)
        outputs.append(np.dot(hidden, w_hq) + b_q)
    return np.concatenate(outputs, axis=0), (hidden,)


def recurrent_from_scratch(random_batches: bool) -> Any:
    """Perplexities, and what the network writes afterwards."""
    data, vocab = verses(random_batches)
    device = d2l.try_gpu()
    net = d2l.RNNModelScratch(
        len(vocab), 16, device, parameters,
        lambda batch, hidden, device: (np.zeros((batch, hidden), ctx=device),), steps,
    )  # fmt: skip
    found = curves(d2l.train_ch8, net, data, vocab, 0.5, 10, device, random_batches)
    return [found, net.params[0], d2l.predict_ch8("time", 8, net, vocab, device)]


def recurrent(kind: Any, **options: Any) -> Any:
    """The same of Gluon's layers; the last has memory cells as well."""
    data, vocab = verses()
    net = prescribed(d2l.RNNModel(kind(16, **options), len(vocab)))
    found = curves(d2l.train_ch8, net, data, vocab, 0.5, 10, mx.cpu())
    return [found, net.dense.weight.data(), d2l.predict_ch8("time", 8, net, vocab, mx.cpu())]


def two_dimensions() -> Any:
    """Descent, with momentum and with squared gradients, down an ellipse."""

    def gradient(x1: float, x2: float) -> Any:
        return 0.2 * x1, 4 * x2

    def descent(x1: float, x2: float, s1: float, s2: float, slopes: Any) -> Any:
        g1, g2 = slopes(x1, x2)
        return x1 - 0.3 * g1, x2 - 0.3 * g2, s1, s2

    def momentum(x1: float, x2: float, v1: float, v2: float) -> Any:
        g1, g2 = gradient(x1, x2)
        v1, v2 = 0.5 * v1 + g1, 0.5 * v2 + g2
        return x1 - 0.4 * v1, x2 - 0.4 * v2, v1, v2

    def by_autograd(x1: Any, x2: Any, s1: Any, s2: Any) -> Any:
        x: Any = np.array([x1, x2])
        x.attach_grad()
        with autograd.record():
            y = 0.1 * x[0] ** 2 + 2 * x[1] ** 2
        y.backward()
        s1, s2 = s1 + x.grad[0] ** 2, s2 + x.grad[1] ** 2
        return x1 - x.grad[0] / np.sqrt(s1 + 1e-6), x2 - x.grad[1] / np.sqrt(s2 + 1e-6), s1, s2

    return [
        d2l.train_2d(descent, f_grad=gradient),
        d2l.train_2d(momentum),
        d2l.train_2d(by_autograd, steps=10),
    ]


def regression(noise: float = 0.1) -> Any:
    """300 rows of three features, ten at a time, and nearly linear labels."""
    x = array("features", 300, 3)
    y = np.dot(x, np.array([1.0, -2.0, 0.5])) + noise * array("noise", 300)
    return in_turn(x, y, size=10)


def optimizers_from_scratch() -> Any:
    """Momentum and Adam as functions of arrays, which take their first weights from a formula."""

    def momentum(p: Any, v: Any, t: int) -> None:
        v[:] = 0.5 * v + p.grad
        p[:] -= 0.05 * v

    def adam(p: Any, v: Any, s: Any, t: int) -> None:
        v[:] = 0.9 * v + 0.1 * p.grad
        s[:] = 0.999 * s + 0.001 * np.square(p.grad)
        p[:] -= 0.05 * (v / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-6)

    def step(rule: Any, params: Any, states: Any, hyper: Any) -> None:
        for p, state in zip(params, states, strict=True):
            if hyper["t"] == 0:
                p[:] = array("start", *p.shape)
            else:
                rule(p, *state, hyper["t"])
        hyper["t"] += 1

    shapes = (3, 1), (1,)
    return [
        curves(
            d2l.train_ch11, partial(step, rule), [[np.zeros(s) for _ in range(n)] for s in shapes],
            {"t": 0}, regression(), 3, 4,
        )
        for rule, n in ((momentum, 1), (adam, 2))
    ]  # fmt: skip


def optimizers_by_gluon() -> Any:
    """Rules that forget where they started; their last losses."""
    return [
        curves(d2l.train_concise_ch11, name, options, regression(), 16)[0][-3:]
        for name, options in [
            ("sgd", {"learning_rate": 0.05}),
            ("sgd", {"learning_rate": 0.05, "momentum": 0.5}),
            ("rmsprop", {"learning_rate": 0.01, "gamma1": 0.9}),
            ("adam", {"learning_rate": 0.02, "beta2": 0.9}),
            ("adadelta", {"rho": 0.9}),
        ]
    ]
