"""Layers of a program with its own memory: what numpy is to compute is recorded and done again."""

import gc
import threading
import weakref
from functools import partial
from typing import Any

import numpy as np
import pytest

from hy_gluon import nn
from hy_kernels.numpy import set_num_threads
from hy_kernels.numpy.nn import _replay
from hy_kernels.numpy.nn.convolution import chwn, nhwc
from hy_ndarray import nd
from tests.changed_costs import change_costs
from tests.kernels.test_planned_layers import by_definition

pytestmark = pytest.mark.usefixtures("two_threads")
HOW: dict[str, Any] = {
    "kernel": (3, 3),
    "stride": (1, 1),
    "dilate": (1, 1),
    "pad": (1, 1),
    "with_bias": True,
    "with_addend": False,
    "bounds": (0.0, np.inf),
}


@pytest.fixture(autouse=True)
def every_layer_is_worth_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    change_costs(monkeypatch, threads={"nhwc": 1})


class Layer:
    """A convolution with arrays that stay where they are."""

    def __init__(self, method: str = "direct", channels: int = 16, side: int = 9) -> None:
        draw = np.random.default_rng(channels)
        groups = channels if method == "depthwise" else 1
        self.method, self.groups = method, groups
        self.data = draw.normal(size=(1, side, side, channels))
        self.kernels = draw.normal(size=(channels, channels // groups, 3, 3))
        self.weight = nhwc.nhwc_weight(self.kernels, method=method)
        self.bias = draw.normal(size=channels)
        self.place = np.empty((2, side, side, channels))[1:]

    def __call__(self) -> Any:
        arrays = self.data, self.weight, self.bias, None
        return nhwc.nhwc_convolution(*arrays, method=self.method, out=(self.place,), **HOW)

    def check(self) -> None:
        """Assert that a call gives what the definition does."""
        found = self()
        assert found is self.place
        wanted = by_definition(self.data, self.kernels, self.groups, (1, 1)) + self.bias
        np.testing.assert_allclose(found, np.maximum(wanted, 0), rtol=1e-9, atol=1e-10)

    @property
    def recording(self) -> Any:
        """What this thread recorded for the layer."""
        return _replay._local.recordings.get(id(self.place))


@pytest.mark.parametrize("method", ["direct", "winograd2", "winograd4", "depthwise"])
def test_what_is_recorded_reads_what_the_arrays_hold_now(method: str) -> None:
    layer = Layer(method)
    for _ in range(3):
        layer.check()
    (chunks,) = layer.recording.chunks.values()
    assert len(chunks) == 2
    layer.data[...] = layer.data[:, ::-1].copy()
    layer.bias -= 1
    layer.kernels *= 2
    layer.weight *= 2
    layer.check()
    assert layer.recording.chunks[_replay._chunk_settings()] is chunks


def test_other_arrays_are_computed_with() -> None:
    layer = Layer()
    for _ in range(3):
        layer.check()
    first = layer.recording
    layer.data = layer.data + 1
    for _ in range(3):
        layer.check()
    assert layer.recording is not first
    assert layer.recording.inputs[0] is layer.data


def test_inputs_that_are_reshaped_as_copies_are_not_recorded() -> None:
    draw = np.random.default_rng(0)
    data, place = draw.normal(size=(8, 7, 7, 16)), np.empty((2, 4, 5, 5, 16))[1]
    memory = draw.normal(size=(4, 8, 3, 6))
    weight = memory[..., :3]
    how: dict[str, Any] = {"stride": (1, 1), "dilate": (1, 1), "pad": (0, 0)}
    for _ in range(4):
        memory += 1
        found = chwn.chwn_convolution(data, weight, None, out=(place,), **how)
        wanted = chwn.chwn_convolution(data, weight.copy(), None, **how)
        np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_an_input_that_came_once_is_not_held_on_to() -> None:
    layer = Layer()
    layer()
    seen = weakref.ref(layer.data)
    layer.data = layer.data.copy()
    assert seen() is None


def test_a_recording_ends_with_the_memory_of_its_result() -> None:
    layer = Layer()
    for _ in range(3):
        layer()
    memory, key = weakref.ref(layer.place.base), id(layer.place)
    assert key in _replay._local.recordings
    del layer
    assert key not in _replay._local.recordings
    gc.collect()
    assert memory() is None


def test_another_layer_that_needs_more_scratch_memory_does_no_harm() -> None:
    small, large = Layer(channels=8), Layer(channels=24, side=13)
    for _ in range(3):
        small.check()
    for _ in range(3):
        large.check()
        small.check()


def test_another_number_of_threads_is_another_recording() -> None:
    layer = Layer()
    for count in (2, 1, 2, 1):
        set_num_threads(count)
        layer.check()
        layer.check()
    assert sorted(map(len, layer.recording.chunks.values())) == [1, 2]


def test_threads_record_for_themselves() -> None:
    layers = [Layer(channels=c) for c in (8, 16, 24)]
    failed: list[BaseException] = []

    def several_times(layer: Layer) -> None:
        try:
            for _ in range(20):
                layer.check()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=partial(several_times, layer)) for layer in layers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert all(layer.recording is None for layer in layers)


def test_a_layer_of_many_calls_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    change_costs(monkeypatch, blocks={"replay": 3})
    layer = Layer()
    for _ in range(3):
        layer.check()
    assert list(layer.recording.chunks.values()) == [None]


def test_a_net_takes_its_recordings_with_it() -> None:
    before = set(_replay._local.recordings)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(32, 3, in_channels=32), nn.BatchNorm(), nn.Conv2D(32, 3, in_channels=32))
    net.initialize()
    net.hybridize(static_alloc=True, static_shape=True)
    x = nd.ones((1, 32, 12, 12))
    wanted = net(x).asnumpy()
    for _ in range(5):
        np.testing.assert_allclose(net(x).asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    assert set(_replay._local.recordings) - before
    del net
    gc.collect()
    assert not set(_replay._local.recordings) - before
