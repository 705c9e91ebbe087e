"""Expressions whose graphs MXNet 1.9.1 wrote to ``data/compositions.json``, name for name.

Each takes the namespace of symbols, so that the same expression runs on MXNet and on hy.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["COMPOSITIONS"]


def _a(s: Any) -> Any:
    return s.var("a")


def _b(s: Any) -> Any:
    return s.var("b")


def _mlp(s: Any) -> Any:
    net = s.FullyConnected(s.var("data"), num_hidden=128, name="fc1")
    net = s.Activation(net, act_type="relu", name="relu1")
    return s.SoftmaxOutput(s.FullyConnected(net, num_hidden=10), name="out")


def _convolution(s: Any) -> Any:
    net = s.Convolution(s.var("data"), kernel=(3, 3), num_filter=8, pad=(1, 1))
    net = s.Activation(s.BatchNorm(net, eps=1e-3), act_type="relu")
    net = s.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max")
    return s.FullyConnected(s.Flatten(s.Dropout(net, p=0.3)), num_hidden=10)


def _composed(s: Any) -> Any:
    first = s.FullyConnected(s.var("data"), num_hidden=10, name="fc1")
    second = s.FullyConnected(s.var("data2"), num_hidden=10, name="fc2")
    return second(data2=first, name="composed")


def _attributes(s: Any) -> Any:
    data = s.var("data", attr={"mood": "calm"}, shape=(0, 6), lr_mult=0.2, dtype="float64")
    attr = {"__tag__": "x", "ctx_group": "dev1", "lr_mult": "2"}
    return s.FullyConnected(data, num_hidden=4, no_bias=True, name="fc", attr=attr)


def _all(s: Any, outputs: Any, states: Any) -> Any:
    parts = [x if isinstance(x, list) else [x] for x in (outputs, states)]
    return s.Group([*parts[0], *parts[1]])


# MXNet counts the names of loops by process: each of these has a name of its own.


def _foreach(s: Any) -> Any:
    w = s.var("w")

    def body(x: Any, states: Any) -> Any:
        return states[1] * w + x + states[0], [states[1] * 2, x]

    loop = s.contrib.foreach(body, s.var("data"), [s.var("s0"), s.var("s1")], name="rolling")
    return _all(s, *loop)


def _foreach_of_layers(s: Any) -> Any:
    outside = s.exp(s.var("z"))

    def body(x: Any, state: Any) -> Any:
        y = s.FullyConnected(x[0] * outside, num_hidden=3, name="fc")
        return [y, x[1]], state + x[0]

    data = [s.var("d0"), s.var("d1")]
    return _all(s, *s.contrib.foreach(body, data, s.var("s"), name="layered"))


def _foreach_in_foreach(s: Any) -> Any:
    def body(x: Any, state: Any) -> Any:
        outputs, last = s.contrib.foreach(lambda y, t: (y + t, t + y), x, state, name="inner")
        return s.sum(outputs, axis=0), last

    return _all(s, *s.contrib.foreach(body, s.var("d"), s.var("s"), name="outer"))


def _while_loop(s: Any) -> Any:
    w = s.var("w")
    loop = s.contrib.while_loop(
        lambda i, x: i < 4,
        lambda i, x: (x * 2 + w, (i + 1, x + i)),
        (s.var("i"), s.var("x")),
        max_iterations=5,
        name="counting",
    )
    return _all(s, *loop)


def _cond(s: Any) -> Any:
    a, b, w = s.var("a"), s.var("b"), s.var("w")
    branches = (lambda: [a + b * w, a], lambda: [a - b, b])
    return s.Group(s.contrib.cond(s.sum(a) > s.sum(b), *branches, name="choice"))


COMPOSITIONS: dict[str, Callable[[Any], Any]] = {
    "a + b": lambda s: _a(s) + _b(s),
    "a - b": lambda s: _a(s) - _b(s),
    "a * b": lambda s: _a(s) * _b(s),
    "a / b": lambda s: _a(s) / _b(s),
    "a % b": lambda s: _a(s) % _b(s),
    "a ** b": lambda s: _a(s) ** _b(s),
    "a == b": lambda s: _a(s) == _b(s),
    "a != b": lambda s: _a(s) != _b(s),
    "a > b": lambda s: _a(s) > _b(s),
    "a >= b": lambda s: _a(s) >= _b(s),
    "a < b": lambda s: _a(s) < _b(s),
    "a <= b": lambda s: _a(s) <= _b(s),
    "a + 2": lambda s: _a(s) + 2,
    "a + 2.5": lambda s: _a(s) + 2.5,
    "a + 1e-05": lambda s: _a(s) + 1e-5,
    "2 + a": lambda s: 2 + _a(s),
    "a - 2": lambda s: _a(s) - 2,
    "2 - a": lambda s: 2 - _a(s),
    "a * 2": lambda s: _a(s) * 2,
    "2 * a": lambda s: 2 * _a(s),
    "a / 2": lambda s: _a(s) / 2,
    "2 / a": lambda s: 2 / _a(s),
    "a % 2": lambda s: _a(s) % 2,
    "2 % a": lambda s: 2 % _a(s),
    "a ** 2": lambda s: _a(s) ** 2,
    "2 ** a": lambda s: 2 ** _a(s),
    "a == 2": lambda s: _a(s) == 2,
    "a != 2": lambda s: _a(s) != 2,
    "a > 2": lambda s: _a(s) > 2,
    "a >= 2": lambda s: _a(s) >= 2,
    "a < 2": lambda s: _a(s) < 2,
    "a <= 2": lambda s: _a(s) <= 2,
    "2 > a": lambda s: 2 > _a(s),  # noqa: SIM300
    "2 <= a": lambda s: 2 <= _a(s),  # noqa: SIM300
    "-a": lambda s: -_a(s),
    "abs(a)": lambda s: abs(_a(s)),
    "a + b + a * 2 + 1": lambda s: _a(s) + _b(s) + _a(s) * 2 + 1,
    "pow(a, b)": lambda s: s.pow(_a(s), _b(s)),
    "pow(a, 2)": lambda s: s.pow(_a(s), 2),
    "pow(2, a)": lambda s: s.pow(2, _a(s)),
    "maximum(a, b)": lambda s: s.maximum(_a(s), _b(s)),
    "maximum(a, 2)": lambda s: s.maximum(_a(s), 2),
    "maximum(2, a)": lambda s: s.maximum(2, _a(s)),
    "minimum(a, b)": lambda s: s.minimum(_a(s), _b(s)),
    "minimum(a, 2)": lambda s: s.minimum(_a(s), 2),
    "hypot(a, b)": lambda s: s.hypot(_a(s), _b(s)),
    "hypot(a, 2)": lambda s: s.hypot(_a(s), 2),
    "zeros": lambda s: s.zeros((2, 3)),
    "zeros of one axis": lambda s: s.zeros(2, dtype="float16", name="z"),
    "ones": lambda s: s.ones((2,)),
    "full": lambda s: s.full((2,), 3, dtype="int32"),
    "arange to": lambda s: s.arange(4),
    "arange": lambda s: s.arange(1, 4, 0.5, repeat=2, name="r", dtype="int32"),
    "linspace": lambda s: s.linspace(0, 1, 5, endpoint=False, dtype="float64"),
    "eye": lambda s: s.eye(3, 4, 1),
    "histogram": lambda s: s.histogram(_a(s), 5, (0, 1)),
    "split_v2 sections": lambda s: s.split_v2(_a(s), 2, axis=1),
    "split_v2 indices": lambda s: s.split_v2(_a(s), (1, 2), axis=1, squeeze_axis=True),
    "concat": lambda s: s.concat(_a(s), _b(s), dim=0),
    "Concat of names": lambda s: s.Concat(num_args=2, name="cc"),
    "add_n": lambda s: s.add_n(_a(s), _b(s)),
    "reshape list": lambda s: s.reshape(_a(s), shape=[1, -1]),
    "cast": lambda s: s.cast(_a(s), dtype="float16"),
    "clip": lambda s: s.clip(_a(s), 0, 1),
    "sum": lambda s: s.sum(_a(s), axis=(1, 2), keepdims=True),
    "sum of all": lambda s: s.sum(_a(s), axis=None),
    "slice": lambda s: s.slice(_a(s), begin=(None, 1), end=(2, None)),
    "SliceChannel": lambda s: s.SliceChannel(_a(s), num_outputs=3)[1] + 1,
    "relu without input": lambda s: s.relu(),
    "FullyConnected without input": lambda s: s.FullyConnected(num_hidden=3),
    "group": lambda s: s.Group([_a(s), s.exp(_b(s))]),
    "random.uniform": lambda s: s.random.uniform(0, 2, shape=(2, 3), dtype="float64"),
    "random.uniform of symbols": lambda s: s.random.uniform(_a(s), _b(s), shape=(2,)),
    "random.normal": lambda s: s.random.normal(1, 2, shape=3),
    "random.randn": lambda s: s.random.randn(2, 3, loc=1),
    "random.poisson": lambda s: s.random.poisson(2, (2,)),
    "random.exponential": lambda s: s.random.exponential(2),
    "random.gamma": lambda s: s.random.gamma(_a(s), _b(s)),
    "random.multinomial": lambda s: s.random.multinomial(_a(s)),
    "random.randint": lambda s: s.random.randint(0, 5, shape=(2,), dtype="int64"),
    "random.shuffle": lambda s: s.random.shuffle(_a(s)),
    "random.uniform_like": lambda s: s.random.uniform_like(_a(s)),
    "uniform": lambda s: s.uniform(low=0, high=1, shape=(2,)),
    "linalg.gemm2": lambda s: s.linalg.gemm2(_a(s), _b(s), transpose_a=True),
    "contrib.rand_zipfian": lambda s: s.Group(list(s.contrib.rand_zipfian(_a(s), 4, 5))),
    "contrib.uniform": lambda s: s.contrib.uniform(shape=(2,)),
    "contrib.quadratic": lambda s: s.contrib.quadratic(_a(s), a=1, b=2),
    "a.relu().sum(axis=1)": lambda s: _a(s).relu().sum(axis=1),
    "a.reshape((2, -1))": lambda s: _a(s).reshape((2, -1)),
    "a.astype('float16')": lambda s: _a(s).astype("float16"),
    "a.flatten().expand_dims(axis=1)": lambda s: _a(s).flatten().expand_dims(axis=1),
    "a.squeeze()": lambda s: _a(s).squeeze(),
    "a.diag()": lambda s: _a(s).diag(),
    "a.transpose().slice_axis(axis=0, begin=0, end=1)": lambda s: (
        _a(s).transpose().slice_axis(axis=0, begin=0, end=1)
    ),
    "a multi-layer perceptron": _mlp,
    "a convolutional net": _convolution,
    "one net composed with another": _composed,
    "attributes": _attributes,
    "foreach": _foreach,
    "foreach of layers": _foreach_of_layers,
    "foreach in foreach": _foreach_in_foreach,
    "while_loop": _while_loop,
    "cond": _cond,
}
