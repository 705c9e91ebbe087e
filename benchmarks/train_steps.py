"""Time a training step: TrainStep beside the loop, and beside jax where it is installed.

``hatch run bench:train-steps [--jax PYTHON]``. Each line has the CPU time of one step on one core
in microseconds, the least of many runs that take turns: the loop with static blocks and
``Trainer.step``, the same net by ``TrainStep``, and ``jax.jit`` of the whole step, whose loss is
awaited, by the interpreter that is named. Each run begins with new weights, so that no state has
become subnormal. Two larger nets follow, with the memory that is allocated at the peak of a step.
"""

import argparse
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import process_time
from typing import Any

__all__ = ["main"]

WIDTHS_ELEMENTS = 16, 64, 256
BATCH_ROWS = 32
WARM_UP_STEPS = 60
BLOCK_STEPS = 50
BLOCKS_COUNT = 6
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "HY_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}

JAX = """
import sys
from functools import partial
import jax, jax.numpy as jnp, numpy as np

def build(width, rows):
    draw = np.random.default_rng(0)
    new = lambda *shape: jnp.asarray(draw.normal(size=shape).astype("float32"))
    params = [(new(width, width) * 0.1, jnp.zeros(width)) for _ in range(3)]
    data, label = new(rows, width), new(rows, width)
    means, squares = (jax.tree.map(jnp.zeros_like, params) for _ in range(2))

    def loss(params, data, label):
        for k, (weight, bias) in enumerate(params):
            data = data @ weight.T + bias
            data = jnp.maximum(data, 0) if k < 2 else data
        return jnp.mean(jnp.square(data - label), axis=1).sum() / 2

    @partial(jax.jit, donate_argnums=(0, 1, 2, 3))
    def step(params, means, squares, count, data, label):
        value, grads = jax.value_and_grad(loss)(params, data, label)
        grads = jax.tree.map(lambda g: g / rows, grads)
        means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, grads)
        squares = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, squares, grads)
        rate = 0.001 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        moved = lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8)
        return jax.tree.map(moved, params, means, squares), means, squares, count + 1, value

    state = [params, means, squares, jnp.float32(1)]

    def run():
        *state[:], value = step(*state, data, label)
        value.block_until_ready()

    return run
"""
SERVE = """
from time import process_time
for line in sys.stdin:
    width, rows, warm, blocks, steps = map(int, line.split())
    run, best = build(width, rows), float("inf")
    for _ in range(warm):
        run()
    for _ in range(blocks):
        before = process_time()
        for _ in range(steps):
            run()
        best = min(best, (process_time() - before) / steps)
    print(best, flush=True)
"""


def _build(width: int, rows: int, *, whole: bool) -> Callable[[], object]:
    """Return a training step of a net of three layers."""
    import numpy as np  # noqa: PLC0415  # after the environment is set

    from hy_gluon import nn  # noqa: PLC0415
    from hy_gluon.loss import L2Loss  # noqa: PLC0415
    from hy_ndarray import nd  # noqa: PLC0415

    net = nn.HybridSequential()
    for k in range(3):
        net.add(nn.Dense(width, in_units=width, activation="relu" if k < 2 else None))  # noqa: PLR2004
    draw = np.random.default_rng(0)
    data, label = (nd.array(draw.normal(size=(rows, width))) for _ in range(2))
    return _step(net, L2Loss(), data, label, whole=whole)


def _step(net: Any, loss: Any, data: Any, label: Any, *, whole: bool) -> Callable[[], object]:
    """Return a training step of a net."""
    from hy_gluon import Trainer, TrainStep  # noqa: PLC0415  # after the environment is set
    from hy_ndarray import autograd  # noqa: PLC0415

    net.initialize()
    for block in (net, loss):
        block.hybridize(static_alloc=True, static_shape=True)
    trainer = Trainer(net.collect_params(), "adam")
    step = TrainStep(net, loss, trainer)

    def loop() -> None:
        with autograd.record():
            value = loss(net(data), label)
        value.backward()
        trainer.step(len(data))

    return (lambda: step(data, label)) if whole else loop


def _resnet18(*, whole: bool) -> Callable[[], object]:
    """Return a training step of ResNet-18 on 8 images of 64 x 64."""
    import numpy as np  # noqa: PLC0415  # after the environment is set

    from hy_gluon.loss import SoftmaxCrossEntropyLoss  # noqa: PLC0415
    from hy_gluon.model_zoo.vision import resnet18_v1  # noqa: PLC0415
    from hy_ndarray import nd  # noqa: PLC0415

    data = nd.array(np.random.default_rng(0).random((8, 3, 64, 64)))
    return _step(
        resnet18_v1(classes=10), SoftmaxCrossEntropyLoss(), data, nd.arange(8), whole=whole
    )


def _decoder_layer(*, whole: bool) -> Callable[[], object]:
    """Return a training step of one layer of a decoder on 8 rows of 128 tokens."""
    import numpy as np  # noqa: PLC0415  # after the environment is set

    from hy_gluon.loss import SoftmaxCrossEntropyLoss  # noqa: PLC0415
    from hy_gluon.model_zoo.transformer import Decoder  # noqa: PLC0415
    from hy_ndarray import nd  # noqa: PLC0415

    net = Decoder(
        vocab_size=256, units=256, num_layers=1, num_heads=4,
        norm="rms", activation="silu", positions="rotary", use_bias=False,
        feed_forward_bias=False, max_length=128, hidden_units=768,
    )  # fmt: skip
    rows = np.random.default_rng(0).integers(0, 256, (8, 129))
    tokens, following = (nd.array(x, dtype="int32") for x in (rows[:, :-1], rows[:, 1:]))
    return _step(net, SoftmaxCrossEntropyLoss(), tokens, following, whole=whole)


NETS = {"ResNet-18": _resnet18, "decoder layer": _decoder_layer}


def _seconds(build: Callable[[], Callable[[], object]]) -> float:
    """Return the least CPU time of a step with new weights."""
    run, best = build(), float("inf")
    for _ in range(WARM_UP_STEPS):
        run()
    for _ in range(BLOCKS_COUNT):
        before = process_time()
        for _ in range(BLOCK_STEPS):
            run()
        best = min(best, (process_time() - before) / BLOCK_STEPS)
    return best


@contextmanager
def _jax(python: str) -> Iterator[Callable[[int], float]]:
    """Run jax in a process of its own, which is asked for one timing after the other."""
    environment = {key: x for key, x in os.environ.items() if key != "PYTHONPATH"} | ONE_THREAD
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([python, "-c", JAX + SERVE], env=environment, **pipes) as process:  # type: ignore[call-overload]  # noqa: S603  # named by the user

        def ask(width: int) -> float:
            order = width, BATCH_ROWS, WARM_UP_STEPS, BLOCKS_COUNT, BLOCK_STEPS
            process.stdin.write(" ".join(map(str, order)) + "\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        yield ask
        process.stdin.close()


def _report(width: int, rounds: int, ask: Callable[[int], float] | None) -> None:
    """Print the line of one width."""
    sides: dict[str, Callable[[], float]] = {
        "loop": partial(_seconds, partial(_build, width, BATCH_ROWS, whole=False)),
        "TrainStep": partial(_seconds, partial(_build, width, BATCH_ROWS, whole=True)),
    }
    if ask is not None:
        sides["jax"] = partial(ask, width)
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for name, measure in sides.items():
            best[name] = min(best[name], measure())
    step = best["TrainStep"]
    texts = [f"{name} {seconds * 1e6:7.1f}" for name, seconds in best.items()]
    ratios = [f"{step / x:.2f} of {name}" for name, x in best.items() if name != "TrainStep"]
    print(f"width {width:4}  {'  '.join(texts)}  ({', '.join(ratios)})", flush=True)


def _peak(build: Callable[[], Callable[[], object]]) -> float:
    """Return the megabytes at the peak of a step, those of the net included."""
    tracemalloc.start()
    run = build()
    for _ in range(4):
        run()
    tracemalloc.reset_peak()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def _report_net(name: str, rounds: int) -> None:
    """Print the line of one of the larger nets."""
    builds = {"loop": False, "TrainStep": True}
    sides = {side: NETS[name](whole=whole) for side, whole in builds.items()}
    best = dict.fromkeys(sides, float("inf"))
    for k in range(4 * rounds + 4):
        for side, run in sides.items():
            before = process_time()
            run()
            if k >= 4:  # noqa: PLR2004  # the first ones compile
                best[side] = min(best[side], process_time() - before)
    peaks = {side: _peak(partial(NETS[name], whole=whole)) for side, whole in builds.items()}
    texts = [f"{side} {best[side] * 1e3:.1f} ms {peaks[side]:.1f} MB" for side in sides]
    print(f"{name:13}  {'  '.join(texts)}  ({best['TrainStep'] / best['loop']:.2f})", flush=True)


def main() -> None:
    """Print a line for each width, and for each of the larger nets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter that has jax")
    parser.add_argument("--rounds", type=int, default=5, help="how often the sides take turns")
    options = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | ONE_THREAD)  # noqa: S606
    for width in WIDTHS_ELEMENTS:
        if options.jax is None:
            _report(width, options.rounds, None)
            continue
        with _jax(options.jax) as ask:
            _report(width, options.rounds, ask)
    for name in NETS:
        _report_net(name, options.rounds)


if __name__ == "__main__":
    main()
