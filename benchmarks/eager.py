"""Time eager calls on the torch table beside bare calls of torch: ``hatch run torch:eager``.

A bare call is what a user of torch would write for the same operands and the same result: indices
and labels are floats, results are of the operands' dtype and in memory of their own, a total has
one axis, as MXNet has it, and equal elements stay in their order, which torch.topk does not do.
One thread; microseconds; of each the fastest of many rounds, taken in turn.
"""

import argparse
from timeit import Timer
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch.nn import functional

from hy_ndarray import use_kernels
from mxnet import nd

LIMIT = 3.0
"""Microseconds that a call may take beside a bare one."""

ARITHMETIC = {
    "x + y": "X + Y",
    "x * y": "X * Y",
    "nd.elemwise_add(x, y)": "torch.add(X, Y)",
    "nd.broadcast_add(x, y)": "torch.add(X, Y)",
    "nd.broadcast_mul(x, row)": "X * ROW",
    "nd.maximum(x, y)": "torch.maximum(X, Y)",
    "x + 1.5": "X + 1.5",
    "x * 2": "X * 2",
    "x / 2": "X / 2",
    "1 - x": "1 - X",
    "-x": "-X",
    "x**2": "X**2",
    "x > y": "(X > Y).float()",
    "x > 0.5": "(X > 0.5).float()",
    "changed.__iadd__(zero)": "CHANGED.__iadd__(ZERO)",
    "nd.add_n(x, y, x)": "X + Y + X",
    "nd.clip(y, -1, 1)": "torch.clamp(Y, -1, 1)",
    "nd.where(x, x, y)": "torch.where(X != 0, X, Y)",
    "nd.relu(y)": "torch.relu(Y)",
    "nd.sigmoid(y)": "torch.sigmoid(Y)",
    "nd.tanh(y)": "torch.tanh(Y)",
    "nd.exp(y)": "torch.exp(Y)",
    "nd.log(y)": "torch.log(Y)",
    "nd.sqrt(y)": "torch.sqrt(Y)",
    "nd.square(y)": "torch.square(Y)",
    "nd.abs(y)": "torch.abs(Y)",
}
PRODUCTS = {
    "nd.dot(x, y)": "X @ Y",
    "nd.batch_dot(stack, stack)": "torch.bmm(STACK, STACK)",
    "nd.linalg_gemm2(x, y)": "torch.mm(X, Y)",
    "x.sum()": "X.sum().view(1)",
    "nd.sum(x, axis=1)": "X.sum(1)",
    "nd.sum(x, axis=1, keepdims=True)": "X.sum(1, keepdim=True)",
    "x.mean()": "X.mean().view(1)",
    "nd.mean(x, axis=1)": "X.mean(1)",
    "nd.max(x, axis=1)": "X.amax(1)",
    "nd.norm(x)": "torch.norm(X).view(1)",
    "nd.argmax(x, axis=1)": "X.argmax(1).float()",
    "nd.topk(x, k=3)": "torch.sort(X, stable=True, dim=1, descending=True)[1][:, :3].float()",
    "nd.sort(x)": "torch.sort(X)[0]",
    "nd.L2Normalization(x)": "F.normalize(X)",
}
SHAPES = {
    "x.reshape((5, 20))": "X.reshape((5, 20))",
    "nd.flatten(image)": "IMAGE.flatten(1).clone()",
    "nd.expand_dims(x, axis=1)": "X.unsqueeze(1).clone()",
    "nd.squeeze(image)": "IMAGE.squeeze().clone()",
    "nd.transpose(x)": "X.t().contiguous()",
    "nd.transpose(image, axes=(0, 2, 3, 1))": "IMAGE.permute(0, 2, 3, 1).contiguous()",
    "nd.swapaxes(x, 0, 1)": "X.transpose(0, 1).contiguous()",
    "nd.concat(x, y, dim=1)": "torch.cat([X, Y], 1)",
    "nd.stack(x, y)": "torch.stack([X, Y])",
    "nd.split(x, num_outputs=2)": "[part.clone() for part in X.split(5, 1)]",
    "nd.slice_axis(x, axis=0, begin=1, end=4)": "X[1:4].clone()",
    "nd.slice(x, begin=(1, 1), end=(4, 4))": "X[1:4, 1:4].clone()",
    "x[1:4]": "X[1:4]",
    "x[1]": "X[1]",
    "x[1:4, 2]": "X[1:4, 2].clone()",
    "nd.take(x, index)": "torch.index_select(X, 0, INDEX.long().clamp_(0, 9))",
    "nd.Embedding(index, x, input_dim=10, output_dim=10)": (
        "F.embedding(INDEX.long().clamp_(0, 9), X)"
    ),
    "nd.one_hot(index, 10)": "F.one_hot(INDEX.long(), 10).float()",
    "nd.pick(x, label)": "X.gather(1, LABEL.long().clamp_(0, 9).unsqueeze(1)).squeeze(1)",
    "nd.tile(x, (2, 1))": "X.tile((2, 1))",
    "nd.repeat(x, 2, axis=0)": "X.repeat_interleave(2, 0)",
    "nd.pad(image, mode='constant', pad_width=(0, 0, 0, 0, 1, 1, 1, 1))": (
        "F.pad(IMAGE, (1, 1, 1, 1))"
    ),
    "nd.broadcast_like(x, y)": "X.expand_as(Y).clone()",
    "x.astype('float64')": "X.to(torch.float64)",
    "x.copy()": "X.clone()",
    "nd.zeros((10, 10))": "torch.zeros((10, 10))",
    "nd.ones_like(x)": "torch.ones_like(X)",
    "nd.arange(10)": "torch.arange(10.0)",
    "nd.random.normal(shape=(10, 10))": "torch.randn((10, 10), generator=drawn)",
}
LAYERS = {
    "nd.FullyConnected(x, y, v, num_hidden=10)": "F.linear(X, Y, V)",
    "nd.Convolution(image, weight, bias, kernel=(3, 3), num_filter=4, pad=(1, 1))": (
        "F.conv2d(IMAGE, WEIGHT, BIAS, padding=1)"
    ),
    "nd.Pooling(image, kernel=(2, 2), stride=(2, 2), pool_type='max')": "F.max_pool2d(IMAGE, 2)",
    "nd.Pooling(image, kernel=(2, 2), stride=(2, 2), pool_type='avg')": "F.avg_pool2d(IMAGE, 2)",
    "nd.Pooling(image, global_pool=True, pool_type='avg', kernel=(1, 1))": (
        "F.adaptive_avg_pool2d(IMAGE, 1)"
    ),
    "nd.BatchNorm(image, gamma, beta, mean, var, fix_gamma=False, eps=1e-5)": (
        "F.batch_norm(IMAGE, MEAN, VAR, GAMMA, BETA)"
    ),
    "nd.LayerNorm(x, v, v)": "F.layer_norm(X, (10,), V, V)",
    "nd.Dropout(x)": "X.clone()",
    "nd.Activation(x, act_type='relu')": "torch.relu(X)",
    "nd.Activation(x, act_type='tanh')": "torch.tanh(X)",
    "nd.LeakyReLU(x, act_type='leaky', slope=0.1)": "F.leaky_relu(X, 0.1)",
    "nd.LeakyReLU(x, act_type='gelu')": "F.gelu(X)",
    "nd.softmax(x)": "torch.softmax(X, -1)",
    "nd.log_softmax(x)": "torch.log_softmax(X, -1)",
    "nd.SoftmaxOutput(x, label)": "torch.softmax(X, -1)",
    "nd.softmax_cross_entropy(x, label)": (
        "F.cross_entropy(X, LABEL.long(), reduction='sum').view(1)"
    ),
    "nd.sgd_update(changed, zero, lr=0.1, out=changed)": "CHANGED.sub_(ZERO, alpha=0.1)",
    "nd.sgd_mom_update(changed, zero, state, lr=0.1, out=changed)": (
        "CHANGED.add_(STATE.mul_(0.0).sub_(ZERO, alpha=0.1))"
    ),
}
CALLS = {**ARITHMETIC, **PRODUCTS, **SHAPES, **LAYERS}
"""What is timed, and the bare calls."""


def _values(*shape: int) -> Any:
    return nd.array(np.random.RandomState(len(shape)).standard_normal(shape).astype("float32"))


def operands() -> dict[str, Any]:
    """Return the operands of the calls: arrays, and in capital letters the same as tensors."""
    arrays = {
        "x": _values(10, 10),
        "y": nd.abs(_values(10, 10)) + 0.5,
        "row": _values(1, 10),
        "v": _values(10),
        "index": nd.array([1, 2, 3]),
        "label": nd.array(np.arange(10)),
        "stack": _values(2, 5, 5),
        "image": _values(1, 3, 8, 8),
        "weight": _values(4, 3, 3, 3),
        "bias": _values(4),
        "gamma": _values(3),
        "beta": _values(3),
        "mean": _values(3),
        "var": nd.ones((3,)),
        "zero": nd.zeros((10, 10)),
        "state": nd.zeros((10, 10)),
        "changed": _values(10, 10),
    }
    tensors = {name.upper(): array.buffer for name, array in arrays.items()}
    tools = {"nd": nd, "torch": torch, "F": functional, "drawn": torch.Generator()}
    return {**arrays, **tensors, **tools}


def best(call: str, bare: str, names: dict[str, Any], rounds: int) -> tuple[float, float]:
    """Microseconds of a call and of its bare call, the fastest of rounds of 60."""
    timers = [Timer(statement, globals=names) for statement in (call, bare)]
    times = [[timer.timeit(60) for timer in timers] for _ in range(rounds)]
    ours, theirs = (min(each) / 60 * 1e6 for each in zip(*times, strict=True))
    return ours, theirs


def stand_in_times(names: dict[str, Any], rounds: int) -> dict[str, float]:
    """Return microseconds that calls take beside a function that does nothing in torch's place.

    Only of calls whose function of torch is looked up at each call, so that it can be replaced.
    """
    image, changed = names["IMAGE"], names["CHANGED"]
    times = {}
    for part, owner, function, result in (
        ("nd.Convolution", torch, "conv2d", image.new_empty(1, 4, 8, 8)),
        ("nd.sgd_update", torch.Tensor, "add_", changed),
    ):
        call = next(call for call in CALLS if call.startswith(part))
        timer = Timer(call, globals=names)
        timer.timeit(60)  # what is cached is cached with torch's function
        with patch.object(owner, function, lambda *_, result=result, **__: result):
            times[part] = min(timer.timeit(60) for _ in range(rounds)) / 60 * 1e6
    return times


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each call, the one that takes most beside its bare call first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.eager", description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="time the calls with this text in them")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument(
        "--stand-in", action="store_true", help="time calls with nothing in the place of torch's"
    )
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    rows = []
    use_kernels("torch")  # of the process: a scope of a thread costs each call a question more
    with torch.no_grad():
        names = operands()
        if options.stand_in:
            for call, time in stand_in_times(names, options.rounds).items():
                print(f"{call:60}{time:8.2f}")
            return
        for call, bare in CALLS.items():
            if options.part in call:
                ours, theirs = best(call, bare, names, options.rounds)
                row = f"{call:60.60}{ours:8.2f}{theirs:8.2f}{ours - theirs:8.2f}"
                rows.append((ours - theirs, row))
    print(f"{'call':60}{'hy':>8}{'bare':>8}{'beside':>8}")
    for _, row in sorted(rows, reverse=True):
        print(row)
    print(f"{sum(over <= LIMIT for over, _ in rows)} of {len(rows)} take at most {LIMIT} µs more")


if __name__ == "__main__":
    main()
