"""Dense layers as a function of PyTorch."""

from math import prod
from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._arguments import OF_FLOAT8, OF_PRODUCTS, check_dtypes, require, runs_here
from hy_kernels.triton.functional._calls import LIBRARY, like, run_one
from hy_kernels.triton.linalg.large_matmul import product_of_float8
from hy_kernels.triton.linalg.matmul import product

# Those whose derivative follows from the result, which is saved; gelu's follows from its operand.
_FUSED = ("none", "relu", "sigmoid", "softrelu", "softsign", "tanh")


@custom_op(f"{LIBRARY}::linear", mutates_args=())
def _linear(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    activation: str,
    float8: bool,
) -> torch.Tensor:
    runs_here("linear", x, weight, bias)
    vector, rows = None if bias is None else bias.contiguous(), _as_matrix(x)
    if float8:
        y = product_of_float8(rows, weight, vector, activation)
    else:
        y = product(rows, weight.t(), vector, activation)
    return y.view(*x.shape[:-1], len(weight))


def _as_matrix(x: Tensor) -> Tensor:
    """Return ``[*, columns]`` as a matrix."""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


@custom_op(f"{LIBRARY}::linear_backward", mutates_args=())
def _linear_backward(
    dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor, activation: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    if activation != "none":
        dy = run_one("activation_backward", dy, y, act_type=activation)
    # Gradients of float8 are computed in 16 bits: those of e4m3 would need scales of their own, and
    # range that it lacks.
    columns, rows = _as_matrix(dy), _as_matrix(x)
    dx = product(columns, weight).view(x.shape)
    params: dict[str, Any] = {"axis": (0,), "keepdims": False, "exclude": False}
    return dx, product(columns.t(), rows), run_one("sum", columns, **params)


def _linear_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, weight, bias, ctx.activation, _ = inputs
    ctx.save_for_backward(x, weight, output)
    ctx.with_bias = bias is not None


def _linear_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    dx, dweight, dbias = _linear_backward(dy, *ctx.saved_tensors, ctx.activation)
    return dx, dweight, dbias if ctx.with_bias else None, None, None


_linear.register_fake(lambda x, weight, *_: x.new_empty((*x.shape[:-1], len(weight))))
_linear_backward.register_fake(
    lambda dy, x, weight, *_: (
        like(x),
        like(weight),
        weight.new_empty(len(weight)),
    )
)
_linear.register_autograd(_linear_gradient, setup_context=_linear_keep)


def linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    activation: str = "none",
    *,
    float8: bool = False,
) -> Tensor:
    """Return ``activation(x · weightᵀ + bias)``, by one kernel or by cuBLAS if that is faster.

    Args:
        x: ``[*, inputs]``, float16, bfloat16 or float32.
        weight: ``[outputs, inputs]``, of the dtype of ``x``.
        bias: ``[outputs]``, likewise.
        activation: ``none``, ``relu``, ``sigmoid``, ``softrelu``, ``softsign`` or ``tanh``.
        float8: Whether each row of ``x`` and ``weight`` is scaled and rounded to e4m3 before the
            product, on Hopper and newer GPUs. ``x`` must then have 16 bits, and ``outputs`` be a
            multiple of 8. Gradients are computed in 16 bits, as if nothing were rounded.

    Raises:
        TypeError: The dtypes differ, or there is no kernel for them.
        ValueError: The shapes do not fit, there is no such activation, or no float8 on this device.
    """
    if activation not in _FUSED:
        raise ValueError(f"linear: activation {activation!r}; there are {', '.join(_FUSED)}")
    arrays = {"x": x, "weight": weight, "bias": bias}
    check_dtypes("linear", OF_PRODUCTS, **arrays)
    fit = x.ndim > 0 and weight.ndim == 2 and weight.shape[1] == x.shape[-1]
    require(fit, "linear", "weight needs a column for each of the last axis of x", **arrays)
    rows = bias is None or bias.shape == weight.shape[:1]
    require(rows, "linear", "bias needs an element for each row of weight", **arrays)
    if float8:
        check_dtypes("linear", OF_FLOAT8, **arrays)
    y: Tensor = _linear(x, weight, bias, activation, float8)
    return y
