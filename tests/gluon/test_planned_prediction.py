"""``hybridize`` lowers convolutional nets for prediction, with static memory or without."""

import ctypes
import sys
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, Trainer, loss, model_zoo, nn
from hy_gluon.execution.optimized import OptimizedOp
from hy_kernels.numpy import NumpyTable
from hy_ndarray import NDArray, autograd, nd, use_kernels
from hy_ndarray.testing import fresh_tables
from hy_symbol import GraphError
from tests.kernels.lacking_table import lacking

STATIC: dict[str, Any] = {"static_alloc": True, "static_shape": True}


@pytest.fixture(params=[{}, STATIC], ids=["plain", "static"])
def flags(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Options of ``hybridize`` that change memory alone."""
    options: dict[str, Any] = request.param
    return options


def drawn(*shape: int) -> NDArray:
    return nd.array(np.random.default_rng(3).standard_normal(shape))


def small_net() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(32, 3, padding=1, in_channels=16),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Conv2D(32, 3, padding=1, strides=2),
        nn.MaxPool2D(),
        nn.Dense(3),
    )
    net.initialize()
    return net


def randomize(net: HybridBlock) -> None:
    rng = np.random.default_rng(7)
    for name, parameter in net.collect_params().items():
        low = 0.5 if name.endswith(("running_var", "gamma")) else -0.3
        parameter.set_data(nd.array(rng.uniform(low, low + 0.6, parameter.shape)))


def assert_alike(found: Any, expected: Any) -> None:
    found, expected = found.asnumpy(), expected.asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("resnet18_v1", 64),
        ("resnet18_v2", 64),
        ("mobilenet0_25", 64),
        ("mobilenet_v2_0_25", 64),
        ("squeezenet1_1", 224),
        pytest.param("densenet121", 224, marks=pytest.mark.slow),
        pytest.param("vgg11_bn", 32, marks=pytest.mark.slow),
        ("alexnet", 96),
        pytest.param("inception_v3", 299, marks=pytest.mark.slow),
    ],
)
def test_models_of_the_zoo_predict_the_same(name: str, side: int, flags: dict[str, Any]) -> None:
    net = getattr(model_zoo.vision, name)(classes=10)
    net.initialize()
    x = drawn(1, 3, side, side)
    net(x)
    randomize(net)
    eager = net(x)
    net.hybridize(**flags)
    for _ in range(2):
        assert_alike(net(x), eager)
    assert isinstance(net._cached_op, OptimizedOp)


@pytest.mark.parametrize(("side", "at_once"), [(8, False), (128, True)])
def test_a_graph_of_large_weights_is_planned_at_its_second_call(
    side: int, at_once: bool, flags: dict[str, Any]
) -> None:
    net, x = small_net(), drawn(1, 16, side, side)
    net.hybridize(**flags)
    first = net(x)
    op = net._cached_op
    assert isinstance(op, OptimizedOp)
    assert bool(op._predictions) == at_once
    assert_alike(net(x), first)
    assert op._predictions


def test_explanations_tell_when_constants_are_computed() -> None:
    net = nn.HybridSequential()
    for _ in range(30):
        net.add(nn.Conv2D(16, 1, in_channels=16, activation="relu"))
    net.add(nn.Conv2D(16, 1, in_channels=16), nn.BatchNorm(in_channels=16))
    net.initialize()
    net.hybridize()
    x = drawn(1, 16, 2, 2)
    told = [net.explain(x) for _ in range(3)]  # each after one more call
    runs = "computed after 2 more runs", "computed after 1 more run", None
    assert [each.constants_why for each in told] == [*runs]
    assert [any(row.constants for row in each.rows) for each in told] == [False, False, True]


def flat(w: NDArray) -> NDArray:
    return w.reshape((-1,))


WRITES: dict[str, Callable[[NDArray], Any]] = {
    "the whole": lambda w: w.__setitem__(slice(None), 2),
    "a row": lambda w: w.__setitem__(3, 2),
    "a block": lambda w: w.__setitem__((3, slice(1, 5, 2)), 2),
    "by a mask": lambda w: w.__setitem__(w > 0, 2),
    "by an array of indices": lambda w: w.__setitem__(nd.array([1, 3]), 2),
    "through a row": lambda w: w[3].__setitem__(slice(None), 2),
    "through another shape": lambda w: flat(w).__setitem__(5, 9),
    "with +=": lambda w: w.__iadd__(1),
    "with out=": lambda w: nd.relu(w, out=w),
    "a step in place": lambda w: nd.sgd_update(w, nd.ones_like(w), lr=0.5, out=w),
    "with copyto": lambda w: (w * 2).copyto(w),
}


@pytest.mark.parametrize("how", WRITES)
def test_a_changed_parameter_counts_at_the_next_call(how: str, flags: dict[str, Any]) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net(x)
    randomize(net)
    net.hybridize(**flags)
    net(x)
    before = net(x).asnumpy()
    WRITES[how](net[0].weight.data())
    planned = net(x)
    assert np.abs(planned.asnumpy() - before).max() > 1e-3
    net.hybridize(False)
    assert_alike(planned, net(x))


def test_new_parameters_and_statistics_count_at_the_next_call(flags: dict[str, Any]) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net(x)
    net.hybridize(**flags)
    net(x)
    net(x)
    randomize(net)
    planned = net(x)
    net.hybridize(False)
    assert_alike(planned, net(x))


def test_writing_to_other_arrays_prepares_nothing_again(flags: dict[str, Any]) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net.hybridize(**flags)
    net(x)
    net(x)
    op = net._cached_op
    assert isinstance(op, OptimizedOp)
    prepared = op.prediction(x.device).inputs.values._cached
    first = prepared[x.device].values
    x[:] = 0.5
    net(x)
    assert prepared[x.device].values is first
    net[0].weight.data()[:] = 1
    net(x)
    assert prepared[x.device].values is not first


def test_a_swapped_table_leaves_nothing_behind(flags: dict[str, Any]) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net.hybridize(**flags)
    expected = net(x)
    assert_alike(net(x), expected)
    op = net._cached_op
    assert isinstance(op, OptimizedOp)
    before = x.device
    with fresh_tables():
        use_kernels(NumpyTable())
        for _ in range(2):
            assert_alike(net(x), expected)
        with autograd.record(train_mode=False):
            net(x).sum().backward()
        assert before.stale
        assert not x.device.stale
        assert list(op.prediction(x.device).inputs.values._cached) == [x.device]
        (plans,) = op.prediction(x.device).op._plans.values()
        assert [key[0] for key in plans.programs] == [x.device]


def test_a_table_without_rules_predicts_with_the_traced_graph(flags: dict[str, Any]) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net.hybridize(**flags)
    expected = net(x)
    with use_kernels(lacking("rewritings")):
        rows = net.explain(x).rows
        assert "Convolution" in {name for row in rows for name in row.operators}
        assert_alike(net(x), expected)
    rows = net.explain(x).rows
    names = {name for row in rows for name in row.operators}
    assert names & {"_nhwc_convolution", "_channels_last_convolution"}


def test_training_goes_on_with_the_traced_graph(flags: dict[str, Any]) -> None:
    plain, planned = small_net(), small_net()
    x, y = drawn(4, 16, 8, 8), nd.array([0, 1, 2, 1])
    planned.hybridize(**flags)
    cost = loss.SoftmaxCrossEntropyLoss()
    for net in (plain, planned):
        net(x)
        randomize(net)
        trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        for _ in range(3):
            with autograd.record():
                error = cost(net(x), y)
            error.backward()
            trainer.step(4)
    for _ in range(2):
        assert_alike(planned(x), plain(x))


def test_the_exported_graph_is_the_traced_one(tmp_path: Path, flags: dict[str, Any]) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net.hybridize(**flags)
    predicted = net(x)
    symbol_file, params_file = net.export(str(tmp_path / "net"))
    assert "_channels_last" not in Path(symbol_file).read_text()
    assert params_file is not None
    loaded = SymbolBlock.imports(symbol_file, ["data"], params_file)
    assert_alike(loaded(x), predicted)
    # A given graph runs as one, hybridized or not.
    loaded.explain(x)
    assert any(row.constants for row in loaded.explain(x).rows)


def test_a_block_that_was_lowered_by_name_is_not_exported_in_the_operators_of_the_table(
    tmp_path: Path,
) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net.hybridize(backend="channels_last")
    net(x)
    with pytest.raises(GraphError, match=r"_(nhwc|channels_last)_convolution.* without that"):
        net.export(str(tmp_path / "net"))
    assert not [*tmp_path.iterdir()]
    net.hybridize()
    net(x)
    net.export(str(tmp_path / "net"))


def test_a_hook_sees_the_operators_of_the_traced_graph(flags: dict[str, Any]) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net.hybridize(**flags)
    net(x)
    seen: list[str] = []
    net.register_op_hook(lambda tensor, operator, array: seen.append(operator))
    net(x)
    assert len(seen) == 6
    assert not any("channels_last" in name for name in seen)


def test_other_shapes_still_work(flags: dict[str, Any]) -> None:
    body = nn.HybridSequential()
    body.add(nn.Conv2D(32, 3, padding=1, in_channels=16), nn.GlobalAvgPool2D())
    body.initialize()
    shapes = [(1, 16, 30, 30), (2, 16, 7, 9), (5, 16, 3, 3)]
    eager = [body(drawn(*shape)) for shape in shapes]
    body.hybridize(**flags)
    for shape, expected in zip(shapes, eager, strict=True):
        for _ in range(2):
            assert_alike(body(drawn(*shape)), expected)


def test_threads_that_predict_see_each_write_to_the_weights(flags: dict[str, Any]) -> None:
    nets = [small_net() for _ in range(4)]
    x = drawn(1, 16, 8, 8)
    for net in nets:
        net(x)
        net.hybridize(**flags)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def last_is_right(net: nn.HybridSequential) -> bool:
        for k in range(6):
            net[0].weight.data()[:] = k
            net(x)
        found = net(x).asnumpy()
        net.hybridize(active=False)
        return bool(np.allclose(found, net(x).asnumpy(), rtol=1e-3))

    try:
        with ThreadPoolExecutor(len(nets)) as pool:
            assert all(pool.map(last_is_right, nets))
    finally:
        sys.setswitchinterval(interval)


SHARED: dict[str, Callable[[NDArray], Any]] = {
    "DLPack": np.from_dlpack,
    "a capsule": lambda w: np.from_dlpack(_Once(w.to_dlpack_for_write())),
}


class _Once:
    """A capsule as NumPy takes it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@pytest.mark.parametrize("when", ["before the first call", "between calls"])
@pytest.mark.parametrize("way", SHARED)
def test_what_another_library_writes_counts_at_the_next_call(
    when: str, way: str, flags: dict[str, Any]
) -> None:
    net, x = small_net(), drawn(2, 16, 8, 8)
    net(x)
    net.hybridize(**flags)
    if when == "between calls":
        net(x)
        net(x)
    theirs = SHARED[way](net[0].weight.data())
    before = [net(x).asnumpy() for _ in range(3)][-1]
    ctypes.memset(theirs.ctypes.data, 0, theirs.nbytes)  # numpy's array is read-only
    planned = net(x)
    assert np.abs(planned.asnumpy() - before).max() > 1e-3
    net.hybridize(False)
    assert_alike(planned, net(x))


def test_memory_that_nobody_shares_any_more_is_prepared() -> None:
    device = nd.ones(1).device
    lent = nd.ones((4, 1024))
    part = lent[1:3]
    np.from_dlpack(part)
    del part
    assert device.is_shared([lent.buffer])
    span = lent.buffer
    del lent
    assert device.is_shared([span])
    watch = weakref.ref(span)
    del span
    assert watch() is None
    assert not device._watch._shared
