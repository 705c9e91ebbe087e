"""Kernels that cut their work among threads give what one thread gives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table as numpy_table
from hy_kernels.numpy.nn import activation, cross_entropy, softmax
from hy_kernels.numpy.nn.attention import interleaved as attention
from hy_kernels.numpy.nn.conv import (
    convolution_backward_data,
    convolution_backward_weight,
    convolution_project,
)
from hy_kernels.numpy.nn.normalization import norm, norm_gradients
from hy_kernels.numpy.nn.pool import pooling, pooling_max_backward, pooling_sum_backward
from hy_kernels.numpy.runtime import _pool, _product
from hy_kernels.numpy.runtime._product import product
from tests.changed_costs import change_costs
from tests.kernels.derived import kernel_of

pytestmark = pytest.mark.usefixtures("two_threads")
DRAW = np.random.default_rng(4)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many chunks each call had that was cut; all work is worth it."""
    change_costs(monkeypatch, threads={"convolution": 1, "update": 1, "pool": 1})
    change_costs(monkeypatch, blocks={"update": 64, "pool": 64})
    found: list[int] = []
    run = _pool._Pool.run

    def counted(self: Any, chunks: Any) -> Any:
        found.append(len(chunks))
        return run(self, chunks)

    monkeypatch.setattr(_pool._Pool, "run", counted)
    return found


def alone(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> Any:
    with monkeypatch.context() as patch:
        never = 1 << 60
        change_costs(patch, threads={"convolution": never, "update": never, "pool": never})
        return call()


@pytest.mark.parametrize(
    ("data", "weight", "how"),
    [
        ((3, 4, 9, 8), (6, 4, 3, 3), {"pad": (1, 1)}),
        ((3, 4, 9, 8), (6, 4, 3, 3), {"stride": (2, 2)}),
        ((5, 6, 7), (4, 3, 3), {"num_group": 2}),
        ((4, 6, 9, 9), (6, 1, 3, 3), {"num_group": 6, "pad": (1, 1)}),
        ((2, 64, 12, 12), (64, 64, 3, 3), {"pad": (1, 1)}),
        ((2, 40, 3, 3), (50, 40, 2, 2), {}),
        ((1, 8, 9, 9), (7, 8, 3, 3), {}),
        ((1, 64, 40, 30), (64, 64, 3, 3), {"pad": (1, 1)}),
        ((1, 8, 9, 9), (7, 8, 1, 1), {}),
        ((1, 6, 9, 9), (12, 1, 3, 3), {"num_group": 6, "pad": (1, 1), "stride": (2, 2)}),
        ((1, 8, 7, 7), (12, 2, 3, 3), {"num_group": 4}),
    ],
    ids=[
        *("images", "strides", "groups", "depthwise", "filtered", "filters", "one image"),
        *("its tiles", "its points", "its channels", "its groups"),
    ],
)
def test_convolution_and_its_gradients(
    data: tuple[int, ...],
    weight: tuple[int, ...],
    how: dict[str, Any],
    shared: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    params: dict[str, Any] = {"stride": (), "dilate": (), "pad": (), "num_group": 1, **how}
    params["layout"] = None
    x, w = DRAW.normal(size=data), DRAW.normal(size=weight)
    y = alone(monkeypatch, lambda: convolution_project(x, w, **params))
    dy = DRAW.normal(size=y.shape)
    calls: list[Callable[[], Any]] = [
        lambda: convolution_project(x, w, **params),
        lambda: convolution_backward_data(dy, w, x, **params),
        lambda: convolution_backward_weight(dy, x, w, **params),
    ]
    for call in calls:
        expected = alone(monkeypatch, call)
        assert not shared
        np.testing.assert_allclose(call(), expected, rtol=1e-9, atol=1e-10)
        # Rows of one image share its weight, not the sums that are its gradient.
        whole = data[0] == 1 and weight[2:] == (3, 3) and how.get("num_group", 1) == 1
        whole = whole and call is calls[2]
        assert set(shared) == (set() if whole else {2})
        shared.clear()


@pytest.mark.parametrize("layout", [None, "NHWC"])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_pooling_and_its_gradient(
    kind: str, layout: str | None, shared: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = (3, 4, 9, 8) if layout is None else (3, 9, 8, 4)
    x = DRAW.normal(size=shape)
    how: dict[str, Any] = {
        "kernel": (3, 2),
        "stride": (2, 2),
        "pad": (1, 0),
        "global_pool": False,
        "pooling_convention": "full",
        "layout": layout,
    }
    more: dict[str, Any] = {
        "pool_type": kind,
        "cudnn_off": False,
        "p_value": None,
        "count_include_pad": None,
    }
    y = alone(monkeypatch, lambda: pooling(x, **how, **more))
    dy = DRAW.normal(size=y.shape)

    def backward() -> Any:
        if kind == "max":
            return pooling_max_backward(dy, x, **how, zero_pad=False)
        return pooling_sum_backward(dy, x, **how, pool_type=kind, count_include_pad=None)

    for call in (lambda: pooling(x, **how, **more), backward):
        expected = alone(monkeypatch, call)
        assert not shared
        np.testing.assert_array_equal(call(), expected)
        assert set(shared) == {2}
        shared.clear()


def test_the_step_of_an_optimizer(shared: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    weight, grad, momentum = (DRAW.normal(size=(50, 7)) for _ in range(3))

    def step() -> Any:
        return kernel_of(numpy_table(), "multi_sgd_mom_update").function(
            weight,
            grad,
            momentum,
            lrs=[0.1],
            wds=[0.01],
            momentum=0.9,
            rescale_grad=0.5,
            clip_gradient=-1.0,
            num_weights=1,
        )

    expected = alone(monkeypatch, step)
    assert not shared
    np.testing.assert_array_equal(step(), expected)
    assert shared == [2]


ROWS, OTHER = DRAW.normal(size=(2, 30, 7))
INDEX = DRAW.integers(0, 7, 30)
VECTOR = DRAW.normal(size=7)
RANDOM = np.random.default_rng()
PLAIN: dict[str, Any] = {"axis": -1, "temperature": None}
NORM: dict[str, Any] = {"axis": -1, "eps": 1e-5, "output_mean_var": True}
LEAKY: dict[str, Any] = {"act_type": "gelu", "slope": 0.25}
PICKED: dict[str, Any] = {"keepdims": True, "mode": "clip", "negative": True}


@pytest.mark.parametrize(
    "call",
    [
        lambda: softmax.softmax(ROWS, **PLAIN, dtype=None, use_length=False),
        lambda: softmax.log_softmax(ROWS, **PLAIN, dtype=None, use_length=False),
        lambda: softmax.softmax_backward(OTHER, ROWS, ROWS, **PLAIN),
        lambda: softmax.log_softmax_backward(OTHER, ROWS, ROWS, **PLAIN),
        lambda: np.hstack(
            [y.reshape(30, -1) for y in cross_entropy.log_softmax_pick(ROWS, INDEX, **PICKED)]
        ),
        lambda: cross_entropy.log_softmax_pick_backward(
            OTHER[:, :1], ROWS, INDEX, np.abs(OTHER[:, 1:3]), **PICKED
        ),
        lambda: np.hstack(norm.layer_norm(ROWS, VECTOR, VECTOR, **NORM)),
        lambda: activation.activation(ROWS, act_type="tanh"),
        lambda: activation.activation(ROWS.copy(), act_type="softsign", out=(ROWS.copy(),)),
        lambda: activation.activation_backward(OTHER, ROWS, act_type="sigmoid"),
        lambda: activation.leaky_relu(
            ROWS, **LEAKY, lower_bound=0.1, upper_bound=0.3, is_train=False, rng=RANDOM
        ),
        lambda: activation.leaky_relu_backward(OTHER, ROWS, **LEAKY),
    ],
    ids=[
        "softmax",
        "log_softmax",
        "softmax backward",
        "log_softmax backward",
        "cross entropy",
        "cross entropy backward",
        "layer norm",
        "tanh",
        "softsign in place",
        "sigmoid backward",
        "gelu",
        "gelu backward",
    ],
)
def test_rows(call: Callable[[], Any], shared: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = call()
    assert not shared
    change_costs(monkeypatch, threads={"rows": 2}, blocks={"rows": 16})
    np.testing.assert_allclose(call(), expected, rtol=1e-12)
    assert set(shared) == {2}


def test_attention(shared: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = DRAW.normal(size=(5, 3, 2 * 3 * 4))

    def call() -> Any:
        scores = attention.selfatt_scores(vectors, heads=2)
        return scores, attention.selfatt_values(vectors, scores, heads=2)

    expected = call()
    assert not shared
    change_costs(monkeypatch, threads={"attention": 1})
    for found, wanted in zip(call(), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert shared == [2, 2]


@pytest.mark.parametrize(("rows", "columns"), [(40, 9), (9, 40)], ids=["rows", "columns"])
def test_products_with_biases(
    rows: int, columns: int, shared: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = DRAW.normal(size=(rows, 5)), DRAW.normal(size=(5, columns))
    bias, out = DRAW.normal(size=columns), np.full((rows, columns), np.nan)
    monkeypatch.setattr(_product, "_MAX_SINGLE_THREAD", 1)
    change_costs(monkeypatch, threads={"product": 1})
    for given in (None, out):
        (found,) = _pool.together([lambda out=given: product(left, right, bias, out)])  # type: ignore[misc]
        np.testing.assert_allclose(found, left @ right + bias, rtol=1e-12)
        assert given is None or found is given
    assert shared == [2, 2]


@pytest.mark.parametrize("convention", ["valid", "full", "same"])
@pytest.mark.parametrize(("kernel", "stride", "pad"), [(3, 2, 1), (2, 2, 0), (4, 1, 2), (2, 5, 1)])
def test_largest_elements_of_one_image(
    kernel: int,
    stride: int,
    pad: int,
    convention: str,
    shared: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = DRAW.normal(size=(1, 11, 9, 4))
    how: dict[str, Any] = {"kernel": (kernel, 2), "stride": (stride, 2), "pad": (pad, 0)}
    how |= {"pool_type": "max", "global_pool": False, "pooling_convention": convention}
    how |= {"layout": "NHWC", "cudnn_off": False, "p_value": None, "count_include_pad": None}
    wanted = alone(monkeypatch, lambda: pooling(x, **how))
    assert not shared
    np.testing.assert_array_equal(pooling(x, **how), wanted)
    assert shared == [2]


@pytest.mark.parametrize("shape", [(6, 5, 7), (4, 9)])
@pytest.mark.parametrize("frozen", [False, True])
def test_batch_normalisation_by_channels(
    shape: tuple[int, ...], frozen: bool, shared: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, dy = DRAW.normal(size=shape), DRAW.normal(size=shape)
    gamma, beta, mean, variance = DRAW.uniform(1, 2, (4, shape[1]))
    options: dict[str, Any] = {"eps": 1e-3, "momentum": 0.9, "fix_gamma": False, "axis": 1}
    options |= {"output_mean_var": False, "cudnn_off": False, "is_train": True}
    options |= {"min_calib_range": None, "max_calib_range": None, "use_global_stats": frozen}
    how: dict[str, Any] = {"kind": "batch", "axis": 1, "groups": 1, "fix_gamma": False}

    def results() -> list[Any]:
        y, own, inverse, *_ = norm.batch_norm(x, gamma, beta, mean, variance, **options)
        slopes = norm_gradients.normalize_backward(dy, x, gamma, own, inverse, frozen=frozen, **how)
        return [y, own, inverse, *slopes]

    wanted = results()
    assert not shared
    change_costs(monkeypatch, threads={"channels": 1})
    for one, other in zip(results(), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    assert shared == [2, 2]
