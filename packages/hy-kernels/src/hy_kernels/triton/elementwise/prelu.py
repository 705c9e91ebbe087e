"""PReLU, a ReLU with learned slopes for negative elements, and its gradients.

He et al., 2015, arXiv:1502.01852. Bytes moved: forward the input and the result; backward dy and
the input twice, and the gradient. The gradient of the slopes is a reduction of its own, summed in
float32.
"""

from typing import Any

from hy_kernels.torch._tensor import OutBuffers, Tensor, target, target_like
from hy_kernels.triton._formula import Formula, Reduction, Step
from hy_kernels.triton._overlay import OVERLAYS, Overlay, overlay
from hy_kernels.triton.elementwise.pointwise import run
from hy_kernels.triton.reduce.reductions import total_of
from hy_kernels.triton.runtime._launch import runs_on

_FORWARD = Formula(2, (Step("prelu", (0, 1)),), (2,))
_TO_DATA = Formula(3, (Step("prelu_to_data", (0, 1, 2)),), (3,))
_TO_SLOPES = Formula(2, (Step("prelu_to_slope", (0, 1)),), (), Reduction("sum", 2))
_by_itself = OVERLAYS["leaky_relu"]


def _along(gamma: Tensor, data: Tensor) -> Tensor:
    """Return the slopes in a shape that broadcasts: a vector is along axis 1."""
    if gamma.ndim == 1 and data.ndim > 1:
        return gamma.reshape(-1, *(1,) * (data.ndim - 2))
    return gamma


def _fits(data: Tensor, gamma: Tensor, *more: Tensor) -> bool:
    operands = (data, gamma, *more)
    floats = data.dtype.is_floating_point and all(x.dtype is data.dtype for x in operands)
    return floats and runs_on(*operands)


def _supports(data: Tensor, gamma: Tensor | None = None, *, act_type: str, **params: Any) -> bool:
    if act_type == "prelu":
        return gamma is not None and _fits(data, gamma)
    return _by_itself.supports(data, act_type=act_type, **params)


def leaky_relu(
    data: Tensor,
    gamma: Tensor | None = None,
    *,
    act_type: str,
    out: OutBuffers = None,
    **params: Any,
) -> Any:
    """Return ``data`` with negative elements scaled or saturated, by ``act_type``."""
    if act_type != "prelu":
        return _by_itself.function(data, act_type=act_type, out=out, **params)
    assert gamma is not None
    y = target_like(data, data.shape, out)
    run(_FORWARD, [data, _along(gamma, data)], data.shape, [y])
    return y


OVERLAYS["leaky_relu"] = Overlay("leaky_relu", leaky_relu, _supports)


@overlay(supports=lambda dy, data, gamma, **_: data.numel() > 0 and _fits(data, gamma, dy))
def prelu_backward(
    dy: Tensor, data: Tensor, gamma: Tensor, *, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return the gradients to data and gamma."""
    like, shape = _along(gamma, data), data.shape
    dx = target(out, shape, data.dtype, data.device)
    dgamma = target_like(gamma, gamma.shape, out, 1)
    run(_TO_DATA, [dy, data, like], shape, [dx])
    extra = data.ndim - like.ndim
    axes = [i for i in range(data.ndim) if i < extra or like.shape[i - extra] == 1]
    total_of(_TO_SLOPES, [dy, data], axes, dgamma)
    return dx, dgamma
