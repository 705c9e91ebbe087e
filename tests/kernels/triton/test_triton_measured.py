"""Products and convolutions of a net go the way that was measured to be the fastest.

What a GPU would say is said here: which ways are fast. The calls that are timed, the choice, its
file, and the layers that follow it, forward and backward, are the real ones.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.triton.linalg import matmul
from hy_kernels.triton.nn import _images
from hy_kernels.triton.runtime import _tune
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd
from tests.kernels.triton.parity import on_table
from tests.kernels.triton.test_triton_suite import trained

OWN = {"convolved_tiles", "convolved_weight_tiles", "convolved_depthwise", "product_tiles"}
"""Functions on the device that products and convolutions are made by."""


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    _tune.forget()
    yield
    _tune.forget()


def launched(call: Callable[[], Any]) -> set[str]:
    """Names of the functions on the device that a call starts."""
    with watched() as launches:
        call()
    return {each.name for each in launches}


def slopes(table: str) -> list[Any]:
    """Gradients of a layer of convolutions, to its images too."""
    rng = np.random.default_rng(4)
    with on_table(table):
        shapes = (2, 3, 9, 9), (4, 3, 3, 3), (4,)
        arrays = [nd.array(rng.uniform(-1, 1, shape), dtype="float32") for shape in shapes]
        for array in arrays:
            array.attach_grad()
        with autograd.record():
            y = nd.Convolution(*arrays, kernel=(3, 3), num_filter=4)
        y.backward(nd.cos(y))
        return [array.grad.asnumpy() for array in arrays if array.grad is not None]


def measure_by(
    monkeypatch: pytest.MonkeyPatch, file: Path, time: Callable[[Callable[[], Any]], float]
) -> list[str]:
    """Have ways measured as on a GPU, by ``time``; the keys that are asked for."""
    asked = list[str]()

    def choose(
        problem: _tune.Problem,
        ways: Callable[[], Mapping[str, Any]],
        *,
        untuned: str,
        device: torch.device,
    ) -> str:
        assert device.type == "cpu"
        asked.append(problem.key)
        return _tune._best_config(asked[-1], ways(), untuned, file, True, time)

    for module in (matmul, _images):
        monkeypatch.setattr(module, "choose", choose)
    return asked


@pytest.mark.parametrize("fast", ["tiles", "library"])
def test_a_net_is_trained_the_way_that_is_fast_here(
    fast: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ways.json"

    def time(call: Callable[[], Any]) -> float:
        return float(bool(launched(call) & OWN) != (fast == "tiles"))

    asked = measure_by(monkeypatch, file, time)
    for run in (lambda table: trained(table, None), slopes):
        for mine, theirs in zip(run("triton"), run("numpy"), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-4)
    kinds = {"convolution", "convolution_backward_data", "convolution_backward_weight", "product"}
    assert {key.split()[0] for key in asked} == kinds
    ways = json.loads(file.read_text("utf-8"))["ways"]
    assert set(ways) == set(asked)
    assert {way == "library" for way in ways.values()} == {fast == "library"}


def test_the_next_process_measures_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ways.json"
    measure_by(monkeypatch, file, lambda call: float(bool(launched(call) & OWN)))
    by_library = launched(lambda: trained("triton", None))
    _tune.forget()

    def time(call: Callable[[], Any]) -> float:
        raise AssertionError("it is known")

    asked = measure_by(monkeypatch, file, time)
    again = launched(lambda: trained("triton", None))
    assert asked
    assert by_library & OWN, "while it measured"
    assert not again & OWN
