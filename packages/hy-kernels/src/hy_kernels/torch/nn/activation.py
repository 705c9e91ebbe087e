"""Activation functions by name, and variants of leaky ReLU."""

from collections.abc import Callable, Mapping, Sequence
from math import pi, sqrt
from typing import Any, cast

import torch

from hy_kernels.record import Function, Type, by_params, by_types
from hy_kernels.torch._floats import of_integers, with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, OutBuffers, Tensor, in_float32, out_buffer, stored
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.elementwise.activations import relu, sigmoid, softsign
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.torch.random._draws import Generator, seeded

_aten = torch.ops.aten
_nn: Any = torch._C._nn  # with the arguments out= that its stubs lack
# SELU (Klambauer et al. 2017): with these, mean 0 and variance 1 are a fixed point.
_ALPHA = 1.6732632423543772  # of selu
_LAMBDA = 1.0507009873554805
# torch's default is 20, where float64 still shows log1p(exp(-20)) = 2e-9.
_SOFTPLUS_THRESHOLD = 40.0


def _softrelu(data: Tensor, *, out: Out = None) -> Tensor:
    y: Tensor = _nn.softplus(data, 1, _SOFTPLUS_THRESHOLD, out=out_buffer(out))
    return y


def _tanh(data: Tensor, *, out: Out = None) -> Tensor:
    return torch.tanh(data, out=out_buffer(out))


_FORWARD: Mapping[str, Callable[..., Tensor]] = {
    "relu": relu,
    "sigmoid": sigmoid,
    "softrelu": _softrelu,
    "softsign": softsign,
    "tanh": _tanh,
}

_OF_TORCH: Mapping[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}
"""Activations that are one function of torch."""


_of_integers = of_integers("activation", lambda params: params["act_type"] == "relu")


@kernel(pointwise=True)
def activation(data: Tensor, *, act_type: str, out: Out = None) -> Tensor:
    """Return the activation ``act_type`` of each element."""
    if out is None and act_type in _OF_TORCH and data.dtype.is_floating_point:
        return _OF_TORCH[act_type](data)  # most calls, without a detour
    if act_type == "relu" or data.dtype.is_floating_point:
        return _FORWARD[act_type](data, out=out)
    result: Tensor = _of_integers(data, act_type=act_type, out=out)
    return result


def _specialized_gradient(
    types: Sequence[Type | None], params: Mapping[str, Any]
) -> Function | None:
    """Return the gradient specialised to one function of torch, for floats; None for others."""
    name = f"{params['act_type']}_backward"
    floats = all(each is not None and "float" in each[1] for each in types)
    if not floats or name not in ("relu_backward", "sigmoid_backward", "tanh_backward"):
        return None
    operator = getattr(_aten, "threshold_backward" if name == "relu_backward" else name)
    default, inside = operator.default, operator.grad_input
    numbers = (0,) if name == "relu_backward" else ()

    def gradient(dy: Tensor, output: Tensor, out: Out = None) -> Tensor:
        if out is None:
            result = default(dy, output, *numbers)
        else:
            result = inside(dy, output, *numbers, grad_input=out[0])
        return cast("Tensor", result)

    return gradient


@kernel(pointwise=True, specialize=by_types(_specialized_gradient))
@with_integer_fallback(unless=lambda params: params["act_type"] == "relu")
def activation_backward(dy: Tensor, output: Tensor, *, act_type: str, out: Out = None) -> Tensor:
    """Return ``dy`` times the activation's derivative, computed from its output."""
    if act_type == "softrelu":
        # y is log(1 + exp(x)), so the derivative sigmoid(x) is 1 - exp(-y); expm1 keeps the digits
        # of small y.
        derivative = torch.expm1(-to_compute_dtype(output)).neg_()
    elif act_type == "softsign":
        # y is x / (1 + |x|), so the derivative 1 / (1 + |x|)**2 is (1 - |y|)**2.
        derivative = torch.abs(to_compute_dtype(output)).neg_().add_(1).square_()
    elif not output.dtype.is_floating_point:
        return stored(torch.mul(dy, output > 0), out)
    elif act_type == "relu":
        return _aten_backward("threshold_backward", dy, output, 0, out=out)
    else:
        return _aten_backward(f"{act_type}_backward", dy, output, out=out)
    return stored(derivative.mul_(dy).to(dy.dtype), out)


def _aten_backward(name: str, *operands: Any, out: Out = None) -> Tensor:
    """Return an activation's gradient by the torch operator ``name``, in the out buffer if any."""
    operator = getattr(_aten, name)
    result: Tensor
    if out is None:
        result = operator.default(*operands)
    else:
        result = operator.grad_input(*operands, grad_input=out[0])
    return result


# --- leaky -----------------------------------------------------------------------------------


def _over_channels(gamma: Tensor, data: Tensor) -> Tensor:
    """Return ``gamma`` in a shape that broadcasts to data: a vector is along axis 1."""
    g = to_compute_dtype(gamma)
    if gamma.ndim == 1 and data.ndim > 1:
        return g.reshape(-1, *(1,) * (data.ndim - 2))
    return g


def _elu_factors(act_type: str, slope: float) -> tuple[float, float]:
    """Return two factors of ELU and SELU: of ``exp(x) - 1``, and of the whole function."""
    return (_ALPHA, _LAMBDA) if act_type == "selu" else (slope, 1.0)


def _randomly(
    x: Tensor, lower: float, upper: float, is_train: bool, rng: Generator
) -> tuple[Tensor, Tensor]:
    """Return the result of randomized leaky ReLU (``rrelu``), and the random slopes."""
    # Randomized leaky ReLU (Xu et al. 2015); prediction takes the mean slope.
    if is_train:
        drawn = torch.rand(x.shape, **seeded(rng), device=x.device)
        slopes = drawn.mul_(upper - lower).add_(lower).to(x.dtype)
    else:
        slopes = torch.full_like(x, (lower + upper) / 2)
    slopes.masked_fill_(x > 0, 1)
    return x * slopes, slopes


# Tensors, as torch would box a Python number at each call.
_HALF, _ROOT = (torch.tensor(x, dtype=torch.float32) for x in (0.5, sqrt(0.5)))


def _gelu(data: Tensor) -> Tensor:
    """Return GELU by torch's function, or by its definition for small CPU tensors."""
    # x Φ(x) by erf (Hendrycks and Gimpel 2016) in calls that start faster than oneDNN's.
    if data.dtype is torch.float32 and data.is_cpu and data.numel() <= COSTS.pointwise.gelu:
        half = torch.mul(data, _HALF)
        return torch.addcmul(half, half, torch.erf(torch.mul(data, _ROOT)), out=half)
    y: Tensor = _nn.gelu(data)
    return y


def _bound_leaky(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of ``leaky_relu`` by one function of torch, for floats."""
    act_type, slope = params["act_type"], params["slope"]
    if act_type == "gelu":
        function: Callable[..., Tensor] = _gelu
        numbers: tuple[float, ...] = ()
    elif act_type == "leaky":
        function, numbers = _nn.leaky_relu, (slope,)
    elif act_type in ("elu", "selu"):
        function, numbers = _nn.elu, (*_elu_factors(act_type, slope), 1.0)
    else:
        return None

    def leaky(data: Tensor, gamma: Tensor | None = None) -> Tensor:
        if data.dtype.is_floating_point:
            return function(data, *numbers)
        y: Tensor = leaky_relu(data, gamma, **params, is_train=False, rng=None)
        return y

    return leaky


@kernel(pointwise=True, specialize=by_params(_bound_leaky))
@with_integer_fallback()
def leaky_relu(
    data: Tensor,
    gamma: Tensor | None = None,
    *,
    act_type: str,
    slope: float,
    lower_bound: float,
    upper_bound: float,
    is_train: bool,
    rng: Generator,
    out: Out = None,
) -> Any:
    """Return data with negative elements scaled or saturated; for rrelu also the random slopes."""
    if act_type == "gelu":
        return _nn.gelu(data) if out is None else _nn.gelu(data, out=out[0])
    if act_type == "leaky":
        return stored(_nn.leaky_relu(data, slope), out)
    if act_type == "rrelu":
        y, slopes = _randomly(to_compute_dtype(data), lower_bound, upper_bound, is_train, rng)
        return stored(y.to(data.dtype), out), stored(slopes.to(data.dtype), out, 1)
    if act_type == "prelu":
        assert gamma is not None
        x = to_compute_dtype(data)
        # The kernel below torch.prelu takes any gamma that broadcasts, not only one per channel.
        y = _aten._prelu_kernel.default(x, _over_channels(gamma, x).to(x.dtype))
        return stored(y.to(data.dtype), out)
    return _nn.elu(data, *_elu_factors(act_type, slope), 1.0, out=out_buffer(out))


@kernel(pointwise=True)
@with_integer_fallback()
def leaky_relu_backward(
    dy: Tensor, data: Tensor, *, act_type: str, slope: float, out: Out = None
) -> Tensor:
    """Return ``dy`` times the derivative at ``data``."""
    if act_type == "gelu":
        return _aten_backward("gelu_backward", dy, data, out=out)
    if act_type == "leaky":
        return _aten_backward("leaky_relu_backward", dy, data, slope, False, out=out)
    return _aten_backward(
        "elu_backward", dy, *_elu_factors(act_type, slope), 1.0, False, data, out=out
    )


@kernel(pointwise=True)
@with_integer_fallback()
def leaky_relu_curve(data: Tensor, *, act_type: str, slope: float, out: Out = None) -> Tensor:
    """Return the second derivative of ``leaky_relu`` at ``data``."""
    low, high = _elu_factors(act_type, slope)

    def curve(x: Tensor) -> Tensor:
        if act_type == "leaky":
            return torch.zeros_like(x)
        if act_type == "gelu":
            square = x * x
            # φ(x) (2 - x²), the second derivative of x Φ(x).
            return torch.exp(square * -0.5).mul_(2 - square).mul_(1 / sqrt(2 * pi))
        return torch.exp(x.clamp_max(0)).mul_(x <= 0).mul_(low * high)

    return in_float32(curve, data, out)


@kernel(out="apart")
@with_integer_fallback()
def prelu_backward(
    dy: Tensor, data: Tensor, gamma: Tensor, *, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return the gradients to data and gamma."""
    x, g = to_compute_dtype(data), to_compute_dtype(dy)
    slopes = _over_channels(gamma, x).to(x.dtype)
    dx, each = _aten._prelu_kernel_backward.default(g, x, slopes)
    dgamma = each.sum_to_size((1,) * (each.ndim - slopes.ndim) + slopes.shape)
    dgamma = dgamma.reshape(gamma.shape).to(gamma.dtype)
    return to_storage_dtype(dx, dy.dtype, out), to_storage_dtype(dgamma, gamma.dtype, out, 1)
