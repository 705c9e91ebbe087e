"""The kernels as functions of PyTorch, with gradients, for modules that know nothing of hy.

Each is an operator of torch's library, so that ``torch.autograd`` and ``torch.compile`` see one
step. Tensors have to be on a CUDA device, or on the CPU under ``TRITON_INTERPRET=1``.
"""

from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton import table
from hy_kernels.triton._launch import runs_on
from hy_kernels.triton.attention import Weighing, attended, attended_backward
from hy_kernels.triton.dropout import dropped
from hy_kernels.triton.embedding import added, taken
from hy_kernels.triton.matmul import product
from hy_kernels.triton.norm import normalized, normalized_backward

__all__ = [
    "attention",
    "cross_entropy",
    "dropout",
    "embedding",
    "layer_norm",
    "linear",
    "rms_norm",
    "softmax",
]

_LIBRARY = "hy_kernels"
_FUSED = ("none", "relu", "sigmoid", "softrelu", "softsign", "tanh")


def _check(name: str, *tensors: Tensor | None) -> None:
    for x in tensors:
        if x is not None and not runs_on(x):
            raise ValueError(
                f"{name}: a tensor is on {x.device}; Triton's kernels run on CUDA devices, and on "
                "the CPU if TRITON_INTERPRET=1 is set before hy_kernels.triton is imported"
            )


def _run(name: str, *tensors: Tensor | None, **params: Any) -> Any:
    """A kernel of the table."""
    _check(name, *tensors)
    record = table().find(name)
    assert record is not None, name
    return record.function(*tensors, **params)


# --- softmax ---------------------------------------------------------------------------------


@custom_op(f"{_LIBRARY}::softmax", mutates_args=())
def softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Exponentials normalised along ``dim``.

    Args:
        x: Of any shape, float16, bfloat16, float32 or float64.
        dim: An axis.
    """
    return _new(_run("softmax", x, axis=dim, temperature=None, dtype=None, use_length=False))


@custom_op(f"{_LIBRARY}::softmax_backward", mutates_args=())
def _softmax_backward(dy: torch.Tensor, y: torch.Tensor, dim: int) -> torch.Tensor:
    return _new(_run("softmax_backward", dy, y, y, axis=dim, temperature=None))


def _new(y: Any) -> Tensor:
    found: Tensor = y
    return found


def _keep_result(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(output)
    ctx.dim = inputs[1]


def _softmax_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return _softmax_backward(dy, ctx.saved_tensors[0], ctx.dim), None


softmax.register_fake(lambda x, dim=-1: torch.empty(x.shape, dtype=x.dtype, device=x.device))
_softmax_backward.register_fake(lambda dy, y, dim: torch.empty_like(y))
softmax.register_autograd(_softmax_gradient, setup_context=_keep_result)


@custom_op(f"{_LIBRARY}::cross_entropy", mutates_args=())
def _cross_entropy(x: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y, statistics = _run("log_softmax_pick", x, target, keepdims=False, mode="clip")
    return -y, statistics


@custom_op(f"{_LIBRARY}::cross_entropy_backward", mutates_args=())
def _cross_entropy_backward(
    dy: torch.Tensor, x: torch.Tensor, target: torch.Tensor, statistics: torch.Tensor
) -> torch.Tensor:
    given = (-dy, x, target, statistics)
    return _new(_run("log_softmax_pick_backward", *given, keepdims=False, mode="clip"))


def _cross_entropy_fake(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.float64 if x.dtype is torch.float64 else torch.float32
    return x.new_empty(x.shape[:-1]), x.new_empty((*x.shape[:-1], 2), dtype=wide)


def _cross_entropy_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs, output[1])


def _cross_entropy_gradient(ctx: Any, dy: Tensor, _: Any) -> tuple[Any, ...]:
    return _cross_entropy_backward(dy, *ctx.saved_tensors), None


_cross_entropy.register_fake(_cross_entropy_fake)
_cross_entropy_backward.register_fake(lambda dy, x, target, statistics: torch.empty_like(x))
_cross_entropy.register_autograd(_cross_entropy_gradient, setup_context=_cross_entropy_keep)


def cross_entropy(x: Tensor, target: Tensor) -> Tensor:
    """``-log(softmax(x)[target])`` of each row; probabilities are never stored.

    Args:
        x: ``[*, classes]``, at least one row.
        target: ``[*]``, integers; those outside count as the nearest class.
    """
    losses: Tensor = _cross_entropy(x, target)[0]
    return losses


# --- normalisation ---------------------------------------------------------------------------


@custom_op(f"{_LIBRARY}::norm", mutates_args=())
def _norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    _check("norm", x, weight, bias)
    results = _norm_fake(x, weight, bias, eps)
    vector = None if bias is None else bias.contiguous()
    normalized(x.contiguous(), x.shape[-1], weight.contiguous(), vector, eps, results)
    return results


@custom_op(f"{_LIBRARY}::norm_backward", mutates_args=())
def _norm_backward(
    dy: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    mean: torch.Tensor,
    deviation: torch.Tensor,
    centered: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    results = _norm_backward_fake(dy, x, weight, mean, deviation, centered)
    given = dy.contiguous(), x.contiguous(), x.shape[-1], weight.contiguous(), (mean, deviation)
    normalized_backward(*given, results, centered=centered)
    return results


def _norm_fake(
    x: Tensor, weight: Tensor, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    wide = torch.float64 if x.dtype is torch.float64 else torch.float32
    statistics = (x.new_empty(x.shape[:-1], dtype=wide) for _ in range(2))
    return (torch.empty(x.shape, dtype=x.dtype, device=x.device), *statistics)


def _norm_backward_fake(
    dy: Tensor, x: Tensor, weight: Tensor, mean: Tensor, deviation: Tensor, centered: bool
) -> tuple[Tensor, Tensor, Tensor]:
    like = [torch.empty(each.shape, dtype=each.dtype, device=x.device) for each in (x, weight)]
    return like[0], like[1], torch.empty_like(like[1])


def _norm_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, weight, bias, _ = inputs
    ctx.save_for_backward(x, weight, *output[1:])
    ctx.centered = bias is not None


def _norm_gradient(ctx: Any, dy: Tensor, *_: Any) -> tuple[Any, ...]:
    dx, dweight, dbias = _norm_backward(dy, *ctx.saved_tensors, ctx.centered)
    return dx, dweight, dbias if ctx.centered else None, None


_norm.register_fake(_norm_fake)
_norm_backward.register_fake(_norm_backward_fake)
_norm.register_autograd(_norm_gradient, setup_context=_norm_keep)


def _normalized(x: Tensor, weight: Tensor, bias: Tensor | None, eps: float) -> Tensor:
    if weight.shape != x.shape[-1:]:
        raise ValueError(
            f"norm: x is of shape {tuple(x.shape)}, weight of {tuple(weight.shape)}; weight needs "
            "an element for each of the last axis"
        )
    y: Tensor = _norm(x, weight, bias, eps)[0]
    return y


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Each vector of the last axis less its mean, over its deviation, times weight plus bias.

    Raises:
        ValueError: The shapes do not fit.
    """
    return _normalized(x, weight, bias, eps)


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each vector of the last axis over the root of its mean square, times weight.

    Raises:
        ValueError: The shapes do not fit.
    """
    return _normalized(x, weight, None, eps)


# --- products --------------------------------------------------------------------------------


@custom_op(f"{_LIBRARY}::linear", mutates_args=())
def _linear(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str
) -> torch.Tensor:
    _check("linear", x, weight, bias)
    rows = x.reshape(-1, x.shape[-1])
    return product(rows, weight.t(), bias, activation).view(*x.shape[:-1], len(weight))


@custom_op(f"{_LIBRARY}::linear_backward", mutates_args=())
def _linear_backward(
    dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor, activation: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    if activation != "none":
        dy = _run("activation_backward", dy, y, act_type=activation)
    columns, rows = dy.reshape(-1, len(weight)), x.reshape(-1, x.shape[-1])
    dx = product(columns, weight).view(x.shape)
    how: dict[str, Any] = {"axis": (0,), "keepdims": False, "exclude": False}
    return dx, product(columns.t(), rows), _run("sum", columns, **how)


def _linear_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, weight, bias, ctx.activation = inputs
    ctx.save_for_backward(x, weight, output)
    ctx.with_bias = bias is not None


def _linear_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    dx, dweight, dbias = _linear_backward(dy, *ctx.saved_tensors, ctx.activation)
    return dx, dweight, dbias if ctx.with_bias else None, None


_linear.register_fake(lambda x, weight, *_: x.new_empty((*x.shape[:-1], len(weight))))
_linear_backward.register_fake(
    lambda dy, x, weight, *_: (
        x.new_empty(x.shape),
        weight.new_empty(weight.shape),
        weight.new_empty(len(weight)),
    )
)
_linear.register_autograd(_linear_gradient, setup_context=_linear_keep)


def linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none"
) -> Tensor:
    """``activation(x · weightᵀ + bias)`` in one kernel, or by cuBLAS where that is faster.

    Args:
        x: ``[*, inputs]``, float16, bfloat16 or float32.
        weight: ``[outputs, inputs]``.
        bias: ``[outputs]``.
        activation: ``none``, ``relu``, ``sigmoid``, ``softrelu``, ``softsign`` or ``tanh``.

    Raises:
        ValueError: There is no such activation.
    """
    if activation not in _FUSED:
        raise ValueError(f"linear: activation {activation!r}; there are {', '.join(_FUSED)}")
    y: Tensor = _linear(x, weight, bias, activation)
    return y


# --- attention -------------------------------------------------------------------------------


@custom_op(f"{_LIBRARY}::attention", mutates_args=())
def _attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    _check("attention", query, key, value)
    q, k, v = (x.contiguous() for x in (query, key, value))
    y = torch.empty_like(q)
    return y, attended(q, k, v, y, Weighing(scale, causal))


@custom_op(f"{_LIBRARY}::attention_backward", mutates_args=())
def _attention_backward(
    dy: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    y: torch.Tensor,
    sums: torch.Tensor,
    scale: float,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q, k, v = (x.contiguous() for x in (query, key, value))
    results = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    attended_backward(dy.contiguous(), (q, k, v), y, sums, results, Weighing(scale, causal))
    return results


def _attention_fake(query: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    batch, heads, queries, _size = query.shape
    sums = query.new_empty((batch * heads, queries, 2), dtype=torch.float32)
    return query.new_empty(query.shape), sums


def _attention_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    *arrays, ctx.scale, ctx.causal = inputs
    ctx.save_for_backward(*arrays, *output)


def _attention_gradient(ctx: Any, dy: Tensor, _: Any) -> tuple[Any, ...]:
    return *_attention_backward(dy, *ctx.saved_tensors, ctx.scale, ctx.causal), None, None


_attention.register_fake(_attention_fake)
_attention_backward.register_fake(
    lambda dy, *arrays: tuple(x.new_empty(x.shape) for x in arrays[:3])
)
_attention.register_autograd(_attention_gradient, setup_context=_attention_keep)


def attention(query: Tensor, key: Tensor, value: Tensor, *, causal: bool = False) -> Tensor:
    """``softmax(query · keyᵀ / sqrt(size)) · value``, without the matrix of scores.

    Args:
        query: ``[batch, heads, queries, size]``, float16, bfloat16 or float32.
        key: ``[batch, heads, keys, size]``.
        value: As ``key``.
        causal: Whether query ``i`` sees no key behind ``i``.

    Raises:
        ValueError: The shapes do not fit.
    """
    y: Tensor = _attention(query, key, value, query.shape[-1] ** -0.5, causal)[0]
    return y


# --- embedding and dropout -------------------------------------------------------------------


@custom_op(f"{_LIBRARY}::embedding", mutates_args=())
def embedding(index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Rows of ``weight``; their gradient is added up in sorted order, the same in every run.

    Args:
        index: Integers of any shape; those outside count as the nearest row.
        weight: ``[rows, columns]``.
    """
    _check("embedding", index, weight)
    y = weight.new_empty((*index.shape, weight.shape[1]))
    taken(index, weight.contiguous(), y)
    return y


@custom_op(f"{_LIBRARY}::embedding_backward", mutates_args=())
def _embedding_backward(
    dy: torch.Tensor, index: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    total = weight.new_empty(weight.shape)
    flat = index.reshape(-1).clamp(0, len(weight) - 1)
    added(dy.reshape(-1, weight.shape[1]).contiguous(), flat, total)
    return total


def _embedding_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return None, _embedding_backward(dy, *ctx.saved_tensors)


embedding.register_fake(lambda index, weight: weight.new_empty((*index.shape, weight.shape[1])))
_embedding_backward.register_fake(lambda dy, index, weight: weight.new_empty(weight.shape))
embedding.register_autograd(
    _embedding_gradient,
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)


@custom_op(f"{_LIBRARY}::dropout", mutates_args=())
def dropout(x: torch.Tensor, rate: float, seed: int) -> torch.Tensor:
    """``x`` with a share of elements set to 0, and the others over ``1 - rate``; no mask is kept.

    Args:
        x: Of any shape.
        rate: The share, from 0 to below 1.
        seed: What is dropped follows from it and the place: another one for each step and layer.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"dropout: rate is {rate}; it has to be from 0 to below 1")
    _check("dropout", x)
    return dropped(x, rate, seed)


def _dropout_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, ctx.rate, ctx.seed = inputs


def _dropout_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return dropout(dy, ctx.rate, ctx.seed), None, None


dropout.register_fake(lambda x, *_: x.new_empty(x.shape))
dropout.register_autograd(_dropout_gradient, setup_context=_dropout_keep)
