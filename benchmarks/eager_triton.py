"""Time the Python of calls of the Triton table, with a launch that is a stand-in.

``python -m benchmarks.eager_triton`` needs no GPU: kernels are looked up and told everything, and
nothing is started. Memory of results is torch's, on the CPU. One thread; microseconds; of each the
fastest of many rounds.
"""

import os

os.environ["TRITON_INTERPRET"] = "1"  # read when device parts are defined

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from timeit import Timer
from typing import Any
from unittest.mock import patch

import torch
from triton.runtime.interpreter import InterpretedFunction

from hy_kernels.triton import table
from hy_kernels.triton.linalg import matmul
from hy_kernels.triton.nn import _images
from hy_kernels.triton.runtime import _launch, _precision, _tune

LIMIT = 15.0
"""Microseconds that a call may take beside its launch."""
_SPACE: dict[str, Any] = {"stride": (1, 1), "dilate": (1, 1), "pad": (1, 1), "num_group": 1}
_WINDOW = {"kernel": (2, 2), "stride": (2, 2), "pad": (0, 0)}
_DENSE = {"num_hidden": 768, "no_bias": False, "flatten": False}


def calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is timed, by name."""
    x, v, w = torch.randn(64, 768), torch.randn(768), torch.randn(768, 768)
    image, weight, bias = torch.randn(4, 8, 8, 16), torch.randn(16, 3, 3, 16), torch.randn(16)
    sums = {"axis": (1,), "keepdims": False, "exclude": False}
    soft = {"axis": -1, "temperature": None, "dtype": None, "use_length": False}
    dot = {"transpose_a": False, "transpose_b": False, "forward_stype": None}
    options = {**_SPACE, "layout": "NHWC"}
    pool = {
        **_WINDOW,
        "pool_type": "max",
        "global_pool": False,
        "cudnn_off": False,
        "p_value": None,
    }
    pool |= {"pooling_convention": "valid", "count_include_pad": None, "layout": "NHWC"}
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("relu", (x,), {}),
        ("broadcast_add", (x, x), {}),
        ("sum", (x,), sums),
        ("softmax", (x,), soft),
        ("layer_norm", (x, v, v), {"axis": -1, "eps": 1e-5, "output_mean_var": False}),
        ("dot", (x, w), dot),
        ("fully_connected", (x, w, v), _DENSE),
        ("convolution", (image, weight, bias), options),
        ("convolution_project", (image, weight), options),
        ("pooling", (image,), pool),
    ]
    for name, arrays, params in calls:
        record = table().find(name)
        assert record is not None, name
        yield name, partial(record.function, *arrays, **params)


@contextmanager
def standing_in() -> Iterator[None]:
    """Start nothing, and choose as on a GPU on which nothing was measured."""
    real, gpu = _tune.choose, torch.device("cuda", 0)

    def choose(problem: Any, ways: Any, *, untuned: str, device: torch.device) -> str:
        del device
        return real(problem, ways, untuned=untuned, device=gpu)

    def untuned(key: str, ways: Any, untuned: str, *_: Any) -> str:
        del key, ways
        return untuned

    def started(*_: Any, **__: Any) -> None:
        pass

    nothing = nullcontext()
    with (
        patch.object(InterpretedFunction, "__getitem__", lambda *_: started),
        patch.object(_launch, "on_device", lambda _: nothing),
        patch.object(_precision, "interpreting", bool),  # settings are asked for, too
        patch.object(_tune, "on_device", lambda _: nothing),
        patch.object(_tune, "_file", str),
        patch.object(_tune, "_best_config", untuned),
        patch.object(torch.cuda, "is_current_stream_capturing", bool),
        patch.object(matmul, "choose", choose),
        patch.object(_images, "choose", choose),
    ):
        yield


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each call, the one that takes most first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.eager_triton", description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="time the calls with this text in them")
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    rows = []
    with standing_in():
        for name, call in calls():
            if options.part in name:
                call()
                times = Timer(call).repeat(options.rounds, 60)
                rows.append((min(times) / 60 * 1e6, name))
    for time, name in sorted(rows, reverse=True):
        print(f"{name:24}{time:8.2f}")
    print(f"{sum(time <= LIMIT for time, _ in rows)} of {len(rows)} take at most {LIMIT} µs")


if __name__ == "__main__":
    main()
