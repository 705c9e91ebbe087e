"""Operators at the edge of their definition: MXNet's numbers."""

from typing import Any

import numpy as onp
import pytest

from hy_ndarray import ArgumentError, DTypeError, ShapeError, autograd, nd, np

loose: Any = nd


def test_the_distance_of_equal_elements_has_the_gradient_one() -> None:
    a, b = nd.array([[[[1, 2], [3, 4]]]]), nd.array([[[[1, 5], [0, 4]]]])
    for x in (a, b):
        x.attach_grad()
    options = {"kernel_size": 1, "max_displacement": 0, "stride1": 1, "stride2": 1, "pad_size": 0}
    with autograd.record():
        y = loose.Correlation(a, b, is_multiply=False, **options)
    y.backward()
    assert loose.array(a.grad).asnumpy().ravel().tolist() == [1, -1, 1, 1]
    assert loose.array(b.grad).asnumpy().ravel().tolist() == [-1, 1, -1, -1]


@pytest.mark.parametrize("dtype", ["float16", "bool"])
@pytest.mark.parametrize("name", ["eig", "eigh", "eigvals", "eigvalsh"])
def test_eigenvalues_of_half_floats_and_booleans_are_refused(name: str, dtype: str) -> None:
    with pytest.raises(DTypeError, match=dtype):
        getattr(np.linalg, name)(np.array(onp.eye(2), dtype=dtype))


@pytest.mark.parametrize("convention", ["valid", "full", "same"])
@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_of_more_paddings_and_steps_than_axes_the_first_count(kind: str, convention: str) -> None:
    x = nd.arange(1, 11).reshape((1, 1, 10))
    how = {"kernel": (2,), "pool_type": kind, "pooling_convention": convention}
    usual = loose.Pooling(x, stride=(2,), pad=(0,), **how)
    more = loose.Pooling(x, stride=(2, 1), pad=(0, 1, 1), **how)
    assert more.asnumpy().tolist() == usual.asnumpy().tolist()
    for name in ("stride", "pad"):
        with pytest.raises(ArgumentError, match=f"{name}=.*one value for each of 2 axes"):
            loose.Pooling(nd.ones((1, 1, 4, 4)), kernel=(2, 2), **{name: (1,)})


def test_windows_may_lie_in_the_padding() -> None:
    x = nd.arange(1, 17).reshape((1, 1, 4, 4))
    how = {"kernel": (2, 2), "stride": (2, 2), "pad": (3, 3)}
    inner = {
        "max": [[1, 3, 4], [9, 11, 12], [13, 15, 16]],
        "avg": [[0.25, 1.25, 1], [3.5, 8.5, 5], [3.25, 7.25, 4]],
        "sum": [[1, 5, 4], [14, 34, 20], [13, 29, 16]],
    }
    for kind, values in inner.items():
        found = loose.Pooling(x, pool_type=kind, **how).asnumpy()[0, 0]
        assert found[1:-1, 1:-1].tolist() == values
        around = onp.delete(found.ravel(), [6, 7, 8, 11, 12, 13, 16, 17, 18])
        assert set(around) == {-onp.inf if kind == "max" else 0}


@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_windows_in_the_padding_have_no_gradient(kind: str) -> None:
    x = nd.array(onp.random.default_rng(3).standard_normal((1, 1, 4, 4)))
    small = {"kernel": (2, 2), "stride": (2, 2), "pool_type": kind}
    found = []
    for pad, rows in ((3, slice(1, -1)), (1, slice(None))):
        x.attach_grad()
        with autograd.record():
            y = loose.Pooling(x, pad=(pad, pad), **small)[0, 0, rows, rows] * nd.arange(3)
        y.backward()
        found.append(loose.array(x.grad).asnumpy().tolist())
    assert found[0] == found[1]


def test_sync_batch_norm_shows_the_variance() -> None:
    x = nd.array([[1, 2], [3, 6]])
    operands = x, nd.ones(2), nd.zeros(2), nd.zeros(2), nd.array([2, 3])
    how = {"output_mean_var": True, "key": "k"}
    with autograd.train_mode():
        trained = loose.contrib.SyncBatchNorm(*operands, **how)
    assert trained[1].asnumpy().tolist() == [2, 4]
    onp.testing.assert_allclose(trained[2].asnumpy(), [1, 4], rtol=1e-5)
    operands[4][:] = nd.array([2, 3])  # which training replaced
    seen = loose.contrib.SyncBatchNorm(*operands, **how)[2]
    onp.testing.assert_allclose(seen.asnumpy(), [2, 3], rtol=1e-5)


def test_the_smooth_loss_of_scalar_0_is_0() -> None:
    x = nd.array([-5, 0, 0.25, 3])
    x.attach_grad()
    with autograd.record():
        y = nd.smooth_l1(x, scalar=0)
    y.backward()
    assert y.asnumpy().tolist() == [0, 0, 0, 0]
    assert loose.array(x.grad).asnumpy().tolist() == [0, 0, 0, 0]


def test_an_integer_result_of_fractions_is_cut_off_once() -> None:
    x = np.array([[1.5, 2.7], [3.6, 0.5]])
    assert np.sum(x, axis=0, dtype="int32").tolist() == [5, 3]
    assert np.sum(x.astype("float16"), axis=0, dtype="int64").tolist() == [5, 3]
    y = np.array([[1.5, 2.5], [3.5, 0.5]])
    assert np.prod(y, axis=0, dtype="int32").tolist() == [5, 1]
    out = np.zeros(2, dtype="int32")
    assert np.prod(y, axis=0, dtype="int32", out=out).tolist() == out.tolist() == [5, 1]


@pytest.mark.parametrize(
    ("size", "elements"), [(1, [1] * 5), (2, [1, 1, 2, 2, 2]), (6, [2, 2, 4, 5, 6])]
)
def test_the_nearest_quantile_is_the_upper_of_two(size: int, elements: list[int]) -> None:
    x = np.arange(1, size + 1, dtype="float32")
    q = [0.1, 0.25, 0.5, 0.75, 0.9]
    assert [np.quantile(x, at, interpolation="nearest").item() for at in q] == elements
    at_once = np.quantile(x, np.array(q), interpolation="nearest")
    assert at_once.tolist() == elements


def test_none_is_an_omitted_tuple() -> None:
    x = nd.ones((1, 1, 3, 3))
    assert loose.tile(x, reps=None).shape == loose.tile(x, reps="None").shape == x.shape
    assert loose.Dropout(x, p=0.5, axes=None).shape == x.shape
    assert loose.broadcast_axis(x, axis=None, size=None).shape == x.shape
    assert loose.Pooling(x, kernel=None, global_pool=True).shape == (1, 1, 1, 1)
    assert loose.contrib.AdaptiveAvgPooling2D(x, output_size=None).shape == (1, 1, 1, 1)
    assert loose.sample_multinomial(nd.array([0.5, 0.5]), shape=None).shape == (1,)
    how = {"kernel": (2, 2), "stride": (2, 2), "num_filter": 1, "no_bias": True}
    w = nd.ones((1, 1, 2, 2))
    assert loose.Deconvolution(x, w, target_shape=None, adj=None, **how).shape == (1, 1, 6, 6)


@pytest.mark.parametrize(
    ("dtype", "result"),
    [("float", "float64"), ("double", "float64"), ("f4", "float32"), ("<i4", "int32")],
)
def test_numpys_names_of_dtypes_are_those_of_operators(dtype: str, result: str) -> None:
    x = nd.array([[3, 1, 2]])
    for y in (f(x, dtype=dtype) for f in (loose.argsort, loose.topk, loose.cumsum)):
        assert onp.dtype(loose.array(y).dtype) == result


def test_indices_of_the_dtype_none_are_float64() -> None:
    x = nd.array([[3, 1, 2]])
    for y in (loose.argsort(x, dtype=None), loose.topk(x, dtype=None)):
        assert onp.dtype(y.dtype) == "float64"


def test_a_number_of_bins_may_be_an_integer_of_numpy() -> None:
    counts, edges = loose.histogram(nd.array([1, 2, 4]), bins=onp.int64(2), range=(0, 4))
    assert counts.asnumpy().tolist() == [1, 2]
    assert edges.asnumpy().tolist() == [0, 2, 4]


def test_windows_of_older_pooling_end_where_the_padding_does() -> None:
    x = -nd.arange(1, 21).reshape((1, 1, 5, 4))
    how = {"kernel": (2, 2), "stride": (2, 1), "pad": (0, 1), "pooling_convention": "full"}
    y = loose.Pooling_v1(x, pool_type="max", **how).asnumpy()[0, 0]
    assert y.tolist() == [[0, -1, -2, -3, 0], [0, -9, -10, -11, 0], [0, -17, -18, -19, 0]]


def test_regular_grids_are_rounded_as_in_mxnet() -> None:
    # Samplers meet whole pixels here, where their gradients jump.
    identity = nd.array([[1, 0, 0, 0, 1, 0]])
    affine = loose.GridGenerator(identity, transform_type="affine", target_shape=(2, 16))
    warp = loose.GridGenerator(nd.zeros((1, 2, 2, 16)), transform_type="warp")
    bits = [x.asnumpy()[0, 0, 0].view(onp.int32) for x in (affine, warp)]
    assert bits[0][2:8].tolist() == [
        -1086604356, -1088841319, -1091637522, -1096111446, -1102263096, -1115125632
    ]  # fmt: skip
    assert (bits[0] - bits[1]).tolist() == [0] * 3 + [-1, 0, 0, -4, -8, 0, 0, 0, 0, 2, 2, 2, 0]


def test_a_flow_of_zeros_has_the_gradients_of_mxnet() -> None:
    flow = nd.zeros((1, 2, 4, 16))
    flow.attach_grad()
    x = nd.arange(64).reshape((1, 1, 4, 16)) ** 2 / 64
    with autograd.record():
        y = loose.BilinearSampler(x, loose.GridGenerator(flow, transform_type="warp"))
    y.backward()
    sums = loose.array(flow.grad).asnumpy()[0].sum(axis=1)
    expected = [49, 49, 51, 53, 57, 59, 61, 63, 65, 67, 69, 71, 73, 75, 77, -1841]
    assert (sums[0] * 16).tolist() == expected
    onp.testing.assert_allclose(sums[1], -(onp.arange(16) ** 2) / 64, atol=1e-4)


@pytest.mark.parametrize("name", ["gamma", "beta", "moving_mean", "moving_var"])
@pytest.mark.parametrize("shape", [(1,), (6,), (3, 1)])
def test_batch_norm_refuses_parameters_of_another_shape(name: str, shape: tuple[int, ...]) -> None:
    operands = {k: nd.ones(3) for k in ("gamma", "beta", "moving_mean", "moving_var")}
    operands[name] = nd.ones(shape)
    with pytest.raises(ShapeError, match=name):
        loose.BatchNorm(nd.ones((2, 3, 4)), **operands)
