"""Time gradients by sample beside torch.func, and beside a loop: ``hatch run torch:transforms``.

A perceptron of three layers and 64 samples; its gradients by ``vmap(grad(loss))``, on the table
that is selected. Where that is torch's, torch.func does the same with the same tensors; otherwise
only the loop is beside it, a call of ``grad`` for each sample. Processor time of one thread, the
least of many rounds, taken in turn; milliseconds. A line says whether the limits are met.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np

from hy_ndarray import cpu, device_of, nd
from hy_ndarray.transforms import grad, vmap

SAMPLES, CLASSES = 64, 10
SIZES = ((32, 32), (128, 256), (784, 128))
"""Inputs, and units of each hidden layer."""
LIMIT = 1.3
"""What torch.func's time may be multiplied with; a loop's may not be exceeded."""

Sides = dict[str, Callable[[], Any]]


def values_of(inputs: int, hidden: int) -> tuple[list[Any], Any, Any]:
    """Weights and biases, samples, labels."""
    draws = np.random.default_rng(0)
    shapes = (
        (hidden, inputs),
        (hidden,),
        (hidden, hidden),
        (hidden,),
        (CLASSES, hidden),
        (CLASSES,),
    )
    params = [draws.standard_normal(shape).astype("float32") * 0.1 for shape in shapes]
    x = draws.standard_normal((SAMPLES, inputs)).astype("float32")
    return params, x, draws.integers(0, CLASSES, SAMPLES)


def sides_of(inputs: int, hidden: int) -> Sides:
    """The calls that are timed: all samples at once, and one after the other."""
    values, samples, labels = values_of(inputs, hidden)
    params, x, label = [nd.array(v) for v in values], nd.array(samples), nd.array(labels)

    def loss(p: list[Any], x: Any, label: Any) -> Any:
        h = nd.relu(nd.FullyConnected(x.expand_dims(0), p[0], p[1], num_hidden=hidden))
        h = nd.relu(nd.FullyConnected(h, p[2], p[3], num_hidden=hidden))
        scores = nd.log_softmax(nd.FullyConnected(h, p[4], p[5], num_hidden=CLASSES))
        return -nd.pick(scores, label.expand_dims(0)).sum()

    one = grad(loss)
    every = vmap(one, in_axes=(None, 0, 0))

    def loop() -> list[Any]:
        rows = [one(params, x[i], label[i]) for i in range(SAMPLES)]
        return [nd.stack(*column) for column in zip(*rows, strict=True)]

    return {"vmap": lambda: every(params, x, label), "loop": loop}


def torch_side(inputs: int, hidden: int) -> Callable[[], Any]:
    """The same by torch.func."""
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    functional = torch.nn.functional
    values, samples, labels = values_of(inputs, hidden)
    params = [torch.tensor(v) for v in values]
    x, label = torch.tensor(samples), torch.tensor(labels)

    def loss(p: list[Any], x: Any, label: Any) -> Any:
        h = torch.relu(functional.linear(x[None], p[0], p[1]))
        h = torch.relu(functional.linear(h, p[2], p[3]))
        scores = functional.linear(h, p[4], p[5])
        return functional.cross_entropy(scores, label[None], reduction="sum")

    every = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: every(params, x, label)


def best(sides: Sides, rounds: int) -> dict[str, float]:
    """The least milliseconds of each side."""
    result = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for name, run in sides.items():
            start = process_time()
            run()
            result[name] = min(result[name], (process_time() - start) * 1e3)
    return result


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transforms", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    selected = parser.parse_args(arguments)
    is_torch = device_of(cpu()).table.name == "torch"
    reached = True
    for inputs, hidden in SIZES:
        sides = sides_of(inputs, hidden)
        if is_torch:
            sides["torch.func"] = torch_side(inputs, hidden)
        times = best(sides, selected.rounds)
        shown = "".join(f"{name:>12} {time:7.2f}" for name, time in times.items())
        reached &= times["vmap"] <= times["loop"]
        reached &= times["vmap"] <= LIMIT * times.get("torch.func", float("inf"))
        print(f"{inputs:4} inputs, {hidden:3} units{shown}")
    print(f"limits {'met' if reached else 'missed'}: {LIMIT} of torch.func, 1 of the loop")


if __name__ == "__main__":
    main()
