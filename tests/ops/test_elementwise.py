"""What the case rows cannot say of elementwise operators: special values, gradients that stop."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import HyError, autograd, nd, np as np_array

_arange = nd._internal._arange


def gradient(function: Any, values: list[float]) -> Any:
    x = nd.array(values)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    assert x.grad is not None
    return x.grad.asnumpy()


def test_a_gradient_that_is_stopped_is_zero_and_replaces_the_one_before() -> None:
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    for function, wanted in ((lambda x: x * x, [2, 4]), (nd.BlockGrad, [0, 0])):
        with autograd.record():
            y = function(x)
        y.backward()
        assert x.grad is not None
        np.testing.assert_array_equal(x.grad.asnumpy(), wanted)


def test_second_derivative_of_a_constant_gradient_is_zero() -> None:
    x = nd.array([1.5, 2.0])
    x.attach_grad()
    with autograd.record():
        (dx,) = autograd.grad([nd.floor(x)], [x], create_graph=True)
    dx.backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.asnumpy(), [0, 0])


def test_relu_passes_nan_on_and_has_slope_zero_at_zero() -> None:
    np.testing.assert_array_equal(gradient(nd.relu, [-1, 0, 2, np.nan]), [0, 0, 1, np.nan])


def test_sign_of_nan_is_zero() -> None:
    np.testing.assert_array_equal(nd.sign(nd.array([np.nan, -0.0, -3])).asnumpy(), [0, 0, -1])


def test_ties_send_the_gradient_to_the_left_operand() -> None:
    x, y = nd.array([1.0, 2.0]), nd.array([1.0, 5.0])
    for operator, wanted in ((nd.broadcast_maximum, [1, 0]), (nd.broadcast_minimum, [1, 1])):
        x.attach_grad()
        with autograd.record():
            z = operator(x, y)
        z.backward()
        assert x.grad is not None
        np.testing.assert_array_equal(x.grad.asnumpy(), wanted)


def test_make_loss_ignores_what_follows() -> None:
    np.testing.assert_array_equal(gradient(lambda x: nd.make_loss(x) * 5, [1, 2]), [1, 1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["sigmoid", "erf", "gammaln", "rsqrt", "softsign", "exp", "tan"])
def test_halves_are_computed_in_float32_and_rounded(name: str, dtype: str) -> None:
    x = nd.array(np.linspace(0.3, 1.4, 23)).astype(dtype)
    function = getattr(nd, name)
    wanted = function(x.astype("float32")).astype(dtype)
    np.testing.assert_array_equal(
        function(x).astype("float32").asnumpy(), wanted.astype("float32").asnumpy()
    )


@pytest.mark.parametrize("name", ["degrees", "radians", "sin", "sqrt", "square"])
def test_functions_of_bfloat16_are_bfloat16(name: str) -> None:
    y = getattr(nd, name)(nd.array([1.5, 2.0]).astype("bfloat16"))
    assert np.dtype(y.dtype).name == "bfloat16"


@pytest.mark.parametrize("name", ["_plus_scalar", "_div_scalar", "_maximum_scalar", "_mod_scalar"])
def test_bfloat16_stays_bfloat16_with_a_number(name: str) -> None:
    x = nd.array([1.5, 2.0]).astype("bfloat16")
    y = getattr(nd._internal, name)(x, scalar=2.5, is_int=False)
    assert np.dtype(y.dtype).name == "bfloat16"


def test_special_functions_at_their_poles() -> None:
    x = nd.array([0.0, -1.0, np.inf, -np.inf, np.nan], dtype="float64")
    np.testing.assert_array_equal(nd.gamma(x).asnumpy(), [np.inf, np.nan, np.inf, np.nan, np.nan])
    np.testing.assert_array_equal(nd.gammaln(x).asnumpy(), [np.inf] * 4 + [np.nan])
    np.testing.assert_array_equal(nd.erf(x).asnumpy(), [0, -0.8427007929497149, 1, -1, np.nan])


def test_gamma_overflows_to_infinity() -> None:
    x = nd.array([171.5, 500.0, 1e4, 1e30])
    np.testing.assert_array_equal(nd.gamma(x).asnumpy(), [np.inf] * 4)


def test_gamma_near_a_pole_keeps_its_accuracy() -> None:
    x = nd.array([-8.999999999837927, 166.22439559027546], dtype="float64")
    wanted = [-17003.026753055896, 1.7071323791438712e296]
    np.testing.assert_allclose(nd.gamma(x).asnumpy(), wanted, rtol=5e-14)


@pytest.mark.parametrize(
    "params",
    [{"start": 5, "stop": 1}, {"start": 0, "stop": 1, "step": 0}, {"start": 2, "repeat": 0}],
)
def test_arange_refuses_what_has_no_end(params: dict[str, Any]) -> None:
    with pytest.raises(HyError, match=r"_arange: (stop=.* step|parameter repeat)="):
        _arange(**params)


def test_amp_multicast_counts_its_arrays() -> None:
    with pytest.raises(HyError, match="num_outputs=3, but 2 arrays"):
        nd.amp_multicast(nd.array([1]), nd.array([1]), num_outputs=3)


def test_the_sparseness_regulariser_pulls_at_the_average() -> None:
    x, average = nd.array([[0.2, 0.5], [0.4, 0.7]]), nd.array([0.3, 0.5])
    x.attach_grad()
    with autograd.record():
        y = nd.IdentityAttachKLSparseReg(x, average, sparseness_target=0.2, penalty=0.01)
    y.backward()
    moved = np.array([0.3, 0.51])
    np.testing.assert_allclose(
        average.asnumpy(), 0.9 * np.array([0.3, 0.5]) + 0.1 * np.array([0.3, 0.6])
    )
    slope = 0.01 * (0.8 / (1 - moved) - 0.2 / moved)
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.asnumpy(), np.tile(1 + slope, (2, 1)), rtol=1e-6)


def test_the_sparseness_regulariser_takes_the_average_of_a_channel_of_images() -> None:
    data = np.linspace(0.1, 0.9, 24, dtype="float32").reshape(2, 3, 2, 2)
    rows = data.transpose(0, 2, 3, 1).reshape(8, 3)  # every place is an example

    def trained(values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        x, average = nd.array(values), nd.array([0.3, 0.5, 0.2])
        x.attach_grad()
        with autograd.record():
            y = nd.IdentityAttachKLSparseReg(x, average, sparseness_target=0.2, penalty=0.01)
        y.backward(x)
        assert x.grad is not None
        return x.grad.asnumpy(), average.asnumpy()

    (of_images, average), (of_rows, expected) = trained(data), trained(rows)
    np.testing.assert_allclose(average, expected, rtol=1e-6)
    np.testing.assert_allclose(of_images.transpose(0, 2, 3, 1).reshape(8, 3), of_rows, rtol=1e-6)


@pytest.mark.parametrize("high", [None, 7.0])
def test_nan_and_infinity_are_replaced_in_bfloat16_too(high: float | None) -> None:
    x = np_array.array([np.nan, np.inf, -np.inf, 1.0], dtype="bfloat16")
    y = np_array.nan_to_num(x, nan=5.0, posinf=high, neginf=-3.0).astype("float64")
    largest = (2 - 2**-7) * 2.0**127
    assert y.asnumpy().tolist() == [5, high or largest, -3, 1]
