"""Values that differ from MXNet's on purpose: what docs/differences.md says of them."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd


def test_training_forward_updates_the_moving_statistics() -> None:
    norm = gluon.nn.BatchNorm(in_channels=2, momentum=0.5)
    norm.initialize()
    with autograd.record():
        norm(nd.array([[0.0, 2.0], [4.0, 2.0]]))
    assert norm.running_mean.data().asnumpy().tolist() == [1, 1]  # half of the batch's 2 and 2
    assert norm.running_var.data().asnumpy().tolist() == [2.5, 0.5]


def test_small_integers_are_compared_by_value() -> None:
    x = nd.array([0, 1, 255], dtype="uint8")
    assert (x > -3).asnumpy().tolist() == [1, 1, 1]
    assert nd.maximum(x, -3).asnumpy().tolist() == [0, 1, 255]
    assert (nd.array([-1, 1], dtype="int8") < 200).asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_means_of_small_integers_do_not_overflow(dtype: str) -> None:
    assert nd.mean(nd.full((4,), 100, dtype=dtype)).asscalar() == 100


def test_nan_shows_in_what_is_computed_of_it() -> None:
    # In MXNet 1.9.1: 9, 9, [[0, nan, 0]], [[-90.72, nan, -88.72]], [[1, 0, 3]].
    x = nd.array([[1, np.nan, 3]])
    image = nd.array([[[[1, np.nan, 3], [4, 5, 6], [7, 8, 9]]]])
    largest = nd.Pooling(image, kernel=(3, 3), pool_type="max").asnumpy()
    assert np.isnan(largest).all()
    region = nd.array([[0, 0, 0, 2, 2]])
    assert np.isnan(
        nd.ROIPooling(image, region, pooled_size=(1, 1), spatial_scale=1).asnumpy()
    ).all()
    assert np.isnan(nd.softmax(x).asnumpy()).all()
    assert np.isnan(nd.log_softmax(x).asnumpy()).all()
    np.testing.assert_array_equal(nd.Activation(x, act_type="relu").asnumpy(), [[1, np.nan, 3]])


def test_nan_is_sorted_last_and_equal_elements_keep_their_order() -> None:
    x = nd.array([1, np.nan, 0, 1, 0])
    np.testing.assert_array_equal(nd.sort(x).asnumpy(), [0, 0, 1, 1, np.nan])
    assert nd.argsort(x).asnumpy().tolist() == [2, 4, 0, 3, 1]
    assert nd.topk(nd.array([1, 0, 1, 0]), k=4, is_ascend=True).asnumpy().tolist() == [1, 3, 0, 2]


def test_products_of_float16_are_rounded_once_and_of_integers_exact() -> None:
    x = nd.full((1, 4096), 1, dtype="float16")
    assert nd.dot(x, x.T).asnumpy().tolist() == [[4096]]  # a float16 sum of ones ends at 2048
    assert nd.FullyConnected(x, x, num_hidden=1, no_bias=True).asnumpy().tolist() == [[4096]]
    image = x.reshape((1, 1, 64, 64))
    y = nd.Convolution(image, image, num_filter=1, kernel=(64, 64), no_bias=True)
    assert y.asnumpy().tolist() == [[[[4096]]]]
    large = nd.array([2**24 + 1, 1], dtype="int32")
    assert nd.dot(large, nd.array([1, 1], dtype="int32")).asscalar() == 2**24 + 2


def test_arange_of_float16_keeps_fractions() -> None:
    assert nd.arange(0, 1.5, 0.5, dtype="float16").asnumpy().tolist() == [0, 0.5, 1]
    assert nd.arange(0, 3, 1.5, dtype="int32").asnumpy().tolist() == [0, 1]


def test_a_range_that_stops_where_it_starts_is_empty() -> None:
    assert nd._internal._arange(start=2, stop=2).shape == (0,)


def test_a_seed_gives_the_same_numbers_in_every_run() -> None:
    mx.random.seed(7)
    numbers = nd.random.uniform(shape=(3,)).asnumpy()

    class Drawn(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x + F.random.uniform(shape=(3,))

    for is_active in False, True:
        net = Drawn()
        net.hybridize(is_active)
        for _ in range(2):
            mx.random.seed(7)
            np.testing.assert_array_equal(net(nd.zeros(3)).asnumpy(), numbers)
    mx.random.seed(8)
    assert (nd.random.uniform(shape=(3,)).asnumpy() != numbers).all()


def test_densities_outside_of_the_support_are_0() -> None:
    x = nd.array([[-1.0, 2.0]])
    low, high = nd.array([0.0]), nd.array([1.0])
    assert nd.random_pdf_uniform(x, low, high).asnumpy().tolist() == [[0, 0]]
    logarithms = nd.random_pdf_uniform(x, low, high, is_log=True)
    assert logarithms.asnumpy().tolist() == [[-np.inf, -np.inf]]
    assert nd.random_pdf_exponential(nd.array([[-1.0]]), nd.array([2.0])).asscalar() == 0


def test_negative_binomials_without_dispersion_are_poisson() -> None:
    mx.random.seed(0)
    x = nd.random.generalized_negative_binomial(mu=3, alpha=0, shape=20_000).asnumpy()
    assert abs(x.mean() - 3) < 0.1
    assert abs(x.var() - 3) < 0.2


def test_random_numbers_are_float32_where_no_dtype_is_given() -> None:
    assert nd.random.normal(nd.zeros(2), nd.ones(2), dtype=None).dtype == np.float32
    loose: Any = nd
    for y in (loose.arange(3, dtype=None), loose.linspace(0, 1, 2, dtype=None)):
        assert y.dtype == np.float32
    x = nd.array([1.0, 2.0])
    for function in (loose.softmax, loose.log_softmax, loose.cumsum):
        assert function(x, dtype=None).dtype == np.float32


def test_lengths_of_sequences_are_clipped() -> None:
    x = nd.array([[1.0], [2.0], [3.0]])
    long = nd.array([9.0])
    given: Any = {"sequence_length": long, "use_sequence_length": True}
    assert nd.SequenceMask(x, **given).asnumpy().ravel().tolist() == [1, 2, 3]
    assert nd.SequenceLast(x, **given).asnumpy().tolist() == [3]
    assert nd.SequenceReverse(x, **given).asnumpy().ravel().tolist() == [3, 2, 1]


def test_labels_that_are_no_classes_add_nothing_to_the_cross_entropy() -> None:
    x = nd.array([[1.0, 1.0], [1.0, 1.0]])
    loss = nd.softmax_cross_entropy(x, nd.array([0.0, 5.0]))
    np.testing.assert_allclose(loss.asnumpy(), [np.log(2)], rtol=1e-6)


def test_an_open_size_beside_a_size_of_0() -> None:
    with mx.util.np_shape(True):
        assert nd.Reshape(nd.zeros((0, 3)), shape=(-1, 3)).shape == (0, 3)


def test_integers_divided_by_zero_give_numpys_quotient() -> None:
    x = nd.array([5, -5], dtype="int32")
    assert (x / nd.zeros((2,), dtype="int32")).asnumpy().tolist() == [0, 0]
    assert (x % nd.zeros((2,), dtype="int32")).asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize("in_place", [False, True])
def test_momentum_of_mixed_nag_uses_the_weight_before_the_step(in_place: bool) -> None:
    weight = nd.array([1.0], dtype="float16")
    momentum, weight32 = nd.array([0.5]), nd.array([1.0])
    out = weight if in_place else nd.zeros((1,), dtype="float16")
    gradient = nd.array([0.25], dtype="float16")
    rates: Any = {"lr": 0.1, "momentum": 0.9, "wd": 0.5}
    nd.mp_nag_mom_update(weight, gradient, momentum, weight32, out=out, **rates)
    step = 0.1 * (0.25 + 0.5 * 1.0)
    velocity = 0.9 * 0.5 - step
    np.testing.assert_allclose(momentum.asnumpy(), [velocity], rtol=1e-6)
    expected = 1 + 0.9 * velocity - step
    np.testing.assert_allclose(weight32.asnumpy(), [expected], rtol=1e-6)


def test_the_second_phase_of_mixed_lamb_updates_the_float32_weight() -> None:
    weight, weight32 = nd.array([1.0], dtype="float16"), nd.array([1.0])
    update, ones = nd.array([0.5]), nd.array([1.0])
    nd.mp_lamb_update_phase2(weight, update, ones, ones, weight32, lr=0.5, out=weight)
    assert weight32.asnumpy().tolist() == [0.75]
    assert weight.asnumpy().tolist() == [0.75]


def test_saturation_mixes_in_the_grey_of_all_channels() -> None:
    image = nd.array([[[100.0, 50.0, 20.0]]])
    mx.random.seed(1)
    y = nd.image.random_saturation(image, min_factor=0.0, max_factor=1e-6).asnumpy()
    grey = 0.299 * 100 + 0.587 * 50 + 0.114 * 20
    np.testing.assert_allclose(y, np.full((1, 1, 3), grey), rtol=1e-4)


def test_quantized_relu_and_zeros_keep_their_type() -> None:
    x = nd.array([200], dtype="uint8")
    low, high = nd.array([0.0]), nd.array([1.0])
    y, *_ = nd.contrib.quantized_act(x, low, high, act_type="relu")
    assert y.dtype == np.uint8
    assert y.asscalar() == 200
    zeros, *_ = nd.contrib.quantize_v2(nd.zeros((2,)), out_type="int8")
    assert zeros.asnumpy().tolist() == [0, 0]


def test_suppression_converts_all_boxes_and_has_no_limit_of_0() -> None:
    centre = nd.array([[[0.9, -1.0, -1.0, 2.0, 2.0], [0.8, -1.0, -1.0, 2.0, 2.0]]])
    y = nd.contrib.box_nms(
        centre, coord_start=1, score_index=0, in_format="center", out_format="corner", topk=0
    )
    assert y.asnumpy()[0, 0, 1:].tolist() == [-2, -2, 0, 0]
    assert y.asnumpy()[0, 1].tolist() == [-1] * 5  # suppressed by the first


def test_minimum_of_negative_samples() -> None:
    anchors = nd.array([[[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0, 0.5, 0.5, 1]]])
    label = nd.array([[[0.0, 0.0, 0.0, 0.5, 0.5]]])
    scores = nd.array([[[0.2, 0.2, 0.2], [0.8, 0.8, 0.8]]])
    given: Any = {"negative_mining_ratio": 1e-6, "negative_mining_thresh": 0.5}
    counts = []
    for minimum in 0, 2, 9:
        _, _, classes = nd.contrib.MultiBoxTarget(
            anchors, label, scores, minimum_negative_samples=minimum, **given
        )
        counts.append(int((classes.asnumpy() == 0).sum()))
    assert counts == [0, 2, 2]


def test_flips_of_odd_axes_are_complete_and_normalize_has_defaults() -> None:
    image = nd.arange(9).reshape((3, 3, 1))
    y = nd.image.flip_left_right(image)
    assert y.asnumpy()[..., 0].tolist() == [[2, 1, 0], [5, 4, 3], [8, 7, 6]]
    assert nd.image.normalize(nd.ones((3, 2, 2))).shape == (3, 2, 2)


def test_rnn_by_lengths_and_pooling_of_the_same_size() -> None:
    parameters = nd.full((2 * (3 + 2 + 2),), 0.1)
    x, state = nd.ones((3, 2, 3)), nd.zeros((1, 2, 2))
    y = nd.RNN(
        x,
        parameters,
        state,
        sequence_length=nd.array([1.0, 3.0]),
        use_sequence_length=True,
        state_size=2,
        num_layers=1,
        mode="rnn_tanh",
    )
    assert y.asnumpy()[1:, 0].tolist() == [[0, 0], [0, 0]]
    assert (y.asnumpy()[:, 1] > 0).all()
    pooled = nd.Pooling(nd.ones((1, 1, 5)), kernel=2, stride=2, pooling_convention="same")
    assert pooled.shape == (1, 1, 3)


def test_exp_is_within_three_units_in_the_last_place() -> None:
    x = np.linspace(-5, 5, 1001, dtype=np.float32)
    exact = np.exp(x.astype(np.float64))
    errors = abs(nd.exp(nd.array(x)).asnumpy() - exact) / np.spacing(exact.astype(np.float32))
    assert errors.max() < 3


def test_copies_of_module_outputs_stay_as_they_are() -> None:
    data = mx.sym.var("data")
    module = mx.mod.Module(mx.sym.FullyConnected(data, num_hidden=1, name="fc"), label_names=None)
    module.bind([("data", (1, 2))], for_training=False)
    module.init_params(mx.init.One())
    module.forward(mx.io.DataBatch([nd.array([[1.0, 2.0]])]))
    first = module.get_outputs()[0].copy()
    module.forward(mx.io.DataBatch([nd.array([[5.0, 5.0]])]))
    assert first.asnumpy().tolist() == [[3 + module.get_params()[0]["fc_bias"].asscalar()]]


def test_relu_of_many_negative_zeros_keeps_them() -> None:
    few, many = (nd.array(np.full(n, -0.0, np.float32)) for n in (1024, 1025))
    for relu in (nd.relu, lambda x: nd.Activation(x, act_type="relu")):
        assert not np.signbit(relu(few).asnumpy()).any()
        result = relu(many).asnumpy()
        assert np.signbit(result).all()
        np.testing.assert_array_equal(result, 0)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "int8"])
def test_integers_are_compared_with_nan_and_infinity_by_value(dtype: str) -> None:
    x = nd.array([0, 1, 100], dtype=dtype)
    infinity, nan = float("inf"), float("nan")
    assert (x < infinity).asnumpy().tolist() == (x > -infinity).asnumpy().tolist() == [1, 1, 1]
    assert (x == infinity).asnumpy().tolist() == (x >= nan).asnumpy().tolist() == [0, 0, 0]
    assert (x != nan).asnumpy().tolist() == [1, 1, 1]
    assert nd.minimum(x, infinity).asnumpy().tolist() == [0, 1, 100]
    assert nd.maximum(x, -infinity).asnumpy().tolist() == [0, 1, 100]


def test_a_fraction_is_true_in_logical_functions_of_integers() -> None:
    x = nd.array([0, 1, 2], dtype="int32")
    assert nd.logical_and(x, 0.5).asnumpy().tolist() == [0, 1, 1]
    assert nd.logical_or(x, 0.5).asnumpy().tolist() == [1, 1, 1]
    assert nd.logical_xor(x, 0.5).asnumpy().tolist() == [1, 0, 0]
    assert nd.smooth_l1(nd.array([5], dtype="int32"), scalar=0.5).asscalar() == 3


def test_spreads_of_integers_are_computed_exactly() -> None:
    x = mx.np.array([100, 50, -100], dtype="int8")
    assert mx.np.std(x).item() == 84
    assert mx.np.var(mx.np.array([2, 7], dtype="int64")).item() == 6  # 6.25


def test_statistics_of_no_elements() -> None:
    nothing = mx.np.zeros((2, 0))
    for function in (mx.np.mean, mx.np.var, mx.np.std, mx.np.average):
        assert function(nothing, axis=1).tolist() == [0, 0]
    assert mx.np.prod(nothing, axis=1).tolist() == [1, 1]
    assert mx.np.var(mx.np.array([1, 2]), ddof=3).item() == np.inf


def test_sums_with_an_infinity_are_infinite() -> None:
    x = mx.np.array([1, np.inf, 2])
    for function in (mx.np.sum, mx.np.mean, mx.np.average):
        assert function(x).item() == np.inf
        assert function(-x).item() == -np.inf
    assert nd.nansum(nd.array([1, np.inf, np.nan])).asscalar() == np.inf
    assert nd.norm(nd.array([-np.inf, np.inf])).asscalar() == np.inf


def test_norms_of_integers_are_cut_off() -> None:
    assert nd.norm(nd.array([3, 4], dtype="int32")).asscalar() == 5
    assert nd.norm(nd.array([[3, 4], [6, 8]], dtype="int32")).asscalar() == 11  # 11.18


def test_limits_of_clip_in_the_wrong_order() -> None:
    x = nd.array([0, 1.5, 3])
    assert nd.clip(x, 2, 1).asnumpy().tolist() == [1, 1, 1]
    assert np.isnan(nd.clip(x, np.nan, 1).asnumpy()).all()


def test_bins_of_integers_are_equal() -> None:
    counts, edges = nd.histogram(nd.array([0, 1, 2, 3, 4], dtype="int32"), bins=3, range=(0, 5))
    assert counts.asnumpy().tolist() == [2, 2, 1]
    assert edges.shape == (4,)


def test_integers_are_rounded_to_tens() -> None:
    x = mx.np.array([4, 14, 16, -16], dtype="int32")
    assert mx.np.around(x, -1).tolist() == [0, 10, 20, -20]


def test_minus_zero_has_a_sign() -> None:
    x = mx.np.array([1.0, 2.0])
    assert mx.np.copysign(x, -0.0).tolist() == [-1, -2]
    assert mx.np.copysign(x, mx.np.array([-0.0, 0.0])).tolist() == [-1, 2]


def test_images_of_one_row_come_from_the_middle() -> None:
    x = nd.array([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]])
    row = nd.contrib.BilinearResize2D(x, height=1, width=3, align_corners=False)
    column = nd.contrib.BilinearResize2D(x, height=3, width=1, align_corners=False)
    assert row.asnumpy().ravel().tolist() == [4, 5, 6]
    assert column.asnumpy().ravel().tolist() == [2, 5, 8]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_transposed_convolutions_have_the_same_numbers_in_float64(dtype: str) -> None:
    x, w = nd.array([[[1, 2, 3]]], dtype=dtype), nd.array([[[1, 10]]], dtype=dtype)
    how: Any = {"kernel": (2,), "stride": (2,), "dilate": (2,), "num_filter": 1}
    assert nd.Deconvolution(x, w, **how).asnumpy().ravel().tolist() == [1, 0, 12, 0, 23, 0, 30]


def test_adamw_leaves_the_gradient_alone() -> None:
    w, g, m, v = nd.ones(2), nd.ones(2), nd.zeros(2), nd.zeros(2)
    nd.contrib.adamw_update(w, g, m, v, nd.array([0.5]), lr=0.1, eta=1)
    assert g.asnumpy().tolist() == [1, 1]
    np.testing.assert_allclose(m.asnumpy(), [0.05, 0.05])


def test_the_determinant_of_one_matrix_has_one_shape() -> None:
    x = nd.array([[1, 2], [3, 5]])
    for active in (False, True):
        with mx.util.np_shape(active):
            sign, logarithm = nd.linalg.slogdet(x)
            assert nd.linalg.det(x).shape == sign.shape == logarithm.shape == (1,)
    assert mx.np.linalg.det(x.as_np_ndarray()).shape == ()
