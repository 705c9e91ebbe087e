"""Matrix products: dense layers, ``dot`` and ``batch_dot``, by tiles in Triton or by cuBLAS.

The faster one is measured once for each class of shapes (:mod:`hy_kernels.triton.runtime._tune`).
Products are accumulated in float32. Those of float32 operands are exact, or tf32 if
``torch.backends.cuda.matmul`` says so; float16 and bfloat16 results are rounded once, after bias
and activation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from math import gcd, prod
from typing import Any, TypeAlias

import torch
from torch.nn.functional import pad

from hy_kernels.torch._tensor import OutBuffers, Tensor, target_like
from hy_kernels.torch.nn.dense import as_matrix
from hy_kernels.torch.runtime._product import matmul as torch_matmul
from hy_kernels.triton._formula import Formula, Step
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.device import matmul as device
from hy_kernels.triton.elementwise.pointwise import run
from hy_kernels.triton.linalg import large_matmul
from hy_kernels.triton.linalg.tiles import GROUP, WGMMA_ROWS, Tiles
from hy_kernels.triton.runtime._launch import launch, runs_on
from hy_kernels.triton.runtime._precision import product_precision as precision
from hy_kernels.triton.runtime._tune import Candidates, Problem, choose

Size: TypeAlias = tuple[int, ...]
Type: TypeAlias = tuple[Size, Size, torch.dtype]
"""Shape, strides and dtype of an operand."""
ACTIVATIONS = ("none", "relu", "sigmoid", "softrelu", "softsign", "tanh", "gelu")
_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_LIBRARY = "library"


# For 16 bits on sm_90a: 128 x 256 x 64 by 8 warps in three stages fills the shared memory and has
# most products for each byte; 64 x 64 is for products too small to fill 132 multiprocessors.
TILES = (
    Tiles(64, 64, 32, 4, 4),
    Tiles(32, 64, 32, 4, 4),
    Tiles(64, 128, 32, 4, 4),
    Tiles(128, 64, 64, 4, 3),
    Tiles(128, 128, 32, 8, 4),
    Tiles(128, 128, 64, 8, 3),
    Tiles(128, 256, 64, 8, 3),
    Tiles(256, 128, 64, 8, 3),
)
_EXACT = (Tiles(32, 64, 32, 4, 4), Tiles(64, 128, 32, 4, 4), Tiles(128, 128, 16, 8, 4))
"""Tiles of exact products of float32: without tensor cores both operands are in registers, too, of
which an A100's do not hold 32 columns of 128 rows."""
_BY_NAME = {each.name: each for each in (*TILES, *_EXACT)}
_BY_DESCRIPTORS = {f"descriptors {each.name}": each for each in large_matmul.TILES}
"""Candidates for large products."""
_VECTOR = 8  # elements of 16 bits that are read at once
_MIN_PADDED = 2048  # rows, and columns, of a product whose operands are padded
_STACK = 65535  # what the axes of a grid but the first hold
_BYTES = 200_000  # of shared memory that a program may have


def tiles_for(dtype: torch.dtype, rows: int) -> list[Tiles]:
    """Return the tile sizes that fit registers and shared memory; the first is for small products.

    Args:
        dtype: Dtype of the operands.
        rows: Rows of the product. Products of 64 rows or more get no tiles of fewer rows, which
            Hopper's tensor cores multiply at half the rate.
    """
    return _tiles_for(dtype, precision(dtype), rows >= WGMMA_ROWS)


@cache
def _tiles_for(dtype: torch.dtype, input_precision: str, is_high: bool) -> list[Tiles]:
    if dtype is torch.float32 and input_precision == "ieee":
        return list(_EXACT)
    sizes = {each: (each.rows + each.columns) * each.inner * each.stages for each in TILES}
    fit = [each for each, size in sizes.items() if size * dtype.itemsize < _BYTES]
    is_tf32 = dtype is torch.float32 and input_precision == "tf32"
    lowest = WGMMA_ROWS if is_tf32 or is_high else 0
    return [each for each in fit if each.rows >= lowest]


def product(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None = None,
    activation: str = "none",
    y: Tensor | None = None,
) -> Tensor:
    """Return ``activation(a · b + bias)`` by the fastest measured implementation.

    Args:
        a: ``[rows, inner]``, or ``[batch, rows, inner]``; of any strides, float32, float16 or
            bfloat16.
        b: ``[inner, columns]``, or ``[batch, inner, columns]``; of the dtype of ``a``.
        bias: ``[columns]``, contiguous, of the dtype of ``a``.
        activation: One of :data:`ACTIVATIONS`.
        y: Contiguous memory for the result.

    Raises:
        TypeError: The dtypes differ, or there is no kernel for them.
        ValueError: The shapes do not fit, or there is no such activation.
    """
    problem = _problem_of(a, b, bias, activation)
    if y is None:
        y = a.new_empty(problem.shape)
    if problem.needs_padding:
        return product(*_padded(a, b), bias, activation, y)

    def candidates() -> Candidates:
        own: dict[str, Callable[[], Any]] = {
            tiles.name: partial(by_tiles, tiles, a, b, bias, activation, y)
            for tiles in tiles_for(a.dtype, a.shape[-2])
        }
        if large_matmul.fits(a, b, y):
            for way, tiles in _BY_DESCRIPTORS.items():
                arguments = (tiles, a, b, bias, activation, y)
                own[way] = partial(large_matmul.by_descriptors, *arguments)
        return {**own, _LIBRARY: partial(_by_library, a, b, bias, activation, y)}

    untuned = _LIBRARY if a.is_cuda else problem.smallest
    way = choose(problem.choice, candidates, untuned=untuned, device=a.device)
    tiles = _BY_NAME.get(way)
    if tiles is not None:
        _by_tiles(tiles, problem, a, b, bias, y)
    elif way in _BY_DESCRIPTORS and large_matmul.fits(a, b, y):  # addresses may be odd, too
        large_matmul.by_descriptors(_BY_DESCRIPTORS[way], a, b, bias, activation, y)
    else:
        _by_library(a, b, bias, activation, y)
    return y


@dataclass(frozen=True, eq=False)
class _Problem:
    """Operand types of a product and what follows from them; interned, so hashed by address."""

    types: tuple[Type, ...]
    activation: str
    precision: str
    shape: Size
    needs_padding: bool
    choice: Problem
    smallest: str
    """Name of the untuned default on the CPU, where there is no cuBLAS."""


def _problem_of(a: Tensor, b: Tensor, bias: Tensor | None, activation: str) -> _Problem:
    dtype = a.dtype
    types: tuple[Type, ...] = ((a.shape, a.stride(), dtype), (b.shape, b.stride(), b.dtype))
    if bias is not None:
        types = (*types, (bias.shape, bias.stride(), bias.dtype))
    return _problem(types, activation, precision(dtype))


@lru_cache(maxsize=4096)
def _problem(types: tuple[Type, ...], activation: str, input_precision: str) -> _Problem:
    """Check the operand types of a product, and return its cached problem; see :func:`product`."""
    (a, a_strides, dtype), (b, b_strides, _), *more = types
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation {activation!r}; there are {', '.join(ACTIVATIONS)}")
    if len(a) != len(b) or a[:-2] != b[:-2] or a[-1] != b[-2]:
        raise ValueError(f"no product of matrices of shapes {tuple(a)}, {tuple(b)}")
    if dtype not in _DTYPES or any(each is not dtype for *_, each in types):
        dtypes = ", ".join(str(each) for *_, each in types)
        raise TypeError(f"no product of {dtypes}; one of {', '.join(map(str, _DTYPES))} for all")
    if more and more[0][0] != b[-1:]:
        raise ValueError(f"bias of shape {tuple(more[0][0])} for {b[-1]} columns")
    shape, is_narrow = (*a[:-1], b[-1]), dtype is not torch.float32
    needs_padding = bool(a[-1] % _VECTOR) and is_narrow and min(shape[-2:]) >= _MIN_PADDED
    order = ["n" if strides[-1] == 1 else "t" for strides in (a_strides, b_strides)]
    words = (dtype, input_precision, *order, activation, bool(more))
    choice = Problem.of("product", words, (*a, b[-1]))
    smallest = tiles_for(dtype, a[-2])[0].name
    return _Problem(types, activation, input_precision, shape, needs_padding, choice, smallest)


def _padded(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return both operands, zero-padded along the inner axis to a multiple of 8 elements."""
    # Rows of an odd number of 16-bit elements begin anywhere: neither cp.async nor cuBLAS's kernels
    # for tensor cores read them in vectors. By an H200's bandwidth and rate the copies take a third
    # of the product's time at 2,048 rows and columns, and less beyond; nobody has measured it.
    more = -a.shape[-1] % _VECTOR
    a = pad(a, (0, more)) if a.stride(-1) == 1 else pad(a.mT, (0, 0, 0, more)).mT
    b = pad(b, (0, 0, 0, more)) if b.stride(-1) == 1 else pad(b.mT, (0, more)).mT
    return a, b


def _by_library(a: Tensor, b: Tensor, bias: Tensor | None, activation: str, y: Tensor) -> None:
    # cuBLAS rounds the product to 16 bits before bias and activation: one rounding more than tiles,
    # and one pass over the result.
    torch_matmul(a, b, y)
    if bias is None and activation == "none":
        return
    inputs = [y] if bias is None else [y, bias]
    run(_epilogue(bias is not None, activation), inputs, y.shape, [y])


@cache
def _epilogue(has_bias: bool, activation: str) -> Formula:
    """Return the formula of bias and activation, for cuBLAS's products."""
    count = 1 + has_bias
    steps = [Step("broadcast_add", (0, 1))] if has_bias else []
    last = count + len(steps) - 1 if steps else 0
    if activation == "gelu":
        steps.append(Step("leaky_relu", (last,), (("act_type", "'gelu'"), ("slope", "0.0"))))
    elif activation != "none":
        steps.append(Step("activation", (last,), (("act_type", repr(activation)),)))
    return Formula(count, tuple(steps), (count + len(steps) - 1,))


def by_tiles(
    tiles: Tiles, a: Tensor, b: Tensor, bias: Tensor | None, activation: str, y: Tensor
) -> None:
    """Write ``activation(a · b + bias)`` to ``y`` by Triton's kernel with these tile sizes."""
    _by_tiles(tiles, _problem_of(a, b, bias, activation), a, b, bias, y)


def _by_tiles(
    tiles: Tiles, problem: _Problem, a: Tensor, b: Tensor, bias: Tensor | None, y: Tensor
) -> None:
    if a.ndim == 3 and a.shape[0] > _STACK:
        for i in range(0, a.shape[0], _STACK):
            some = slice(i, i + _STACK)
            by_tiles(tiles, a[some], b[some], bias, problem.activation, y[some])
        return
    grid, numbers, constants = _launch_arguments(tiles, problem)
    launch(device.product_tiles, grid, a, b, a if bias is None else bias, y, *numbers, **constants)


@lru_cache(maxsize=4096)
def _launch_arguments(tiles: Tiles, problem: _Problem) -> tuple[Size, Size, dict[str, Any]]:
    """Return the grid, the sizes and strides, and the constants of a launch."""
    (a, a_strides, _), (b, b_strides, _), *bias = problem.types
    (rows, inner), columns, batch = a[-2:], b[-1], a[0] if len(a) == 3 else 1
    if len(a) == 2:
        a_strides, b_strides = (0, *a_strides), (0, *b_strides)
    a_transposed, b_transposed = a_strides[2] != 1 and a_strides[1] == 1, b_strides[2] != 1
    constants = {
        "warps": tiles.warps,
        "stages": tiles.stages,
        "HAS_BIAS": bool(bias),
        "ACTIVATION": problem.activation,
        "PRECISION": problem.precision,
        "A_TRANSPOSED": a_transposed,
        "B_TRANSPOSED": b_transposed,
        "A_ALIGN": _align(a_strides, rows if a_transposed else inner, a_transposed),
        "B_ALIGN": _align(b_strides, inner if b_transposed else columns, b_transposed),
        "C_ALIGN": gcd(8, columns),
        "ROWS": tiles.rows,
        "COLUMNS": tiles.columns,
        "INNER": tiles.inner,
        "GROUP": GROUP,
    }
    grid = (-(-rows // tiles.rows) * -(-columns // tiles.columns), batch)
    return grid, (rows, columns, inner, *a_strides, *b_strides), constants


def _align(strides: tuple[int, ...], neighbours: int, transposed: bool) -> int:
    """Return a divisor, 8 at most, of a matrix's contiguous length and its other strides.

    It tells the compiler which vector loads are aligned; 1 if no axis is contiguous.
    """
    batch, row, element = strides
    apart, one = (element, row) if transposed else (row, element)
    return gcd(8, neighbours, apart, batch) if one == 1 else 1


def _supports(*operands: Tensor | None, **_: Any) -> bool:
    first = operands[0]
    assert first is not None
    dtype = first.dtype
    if dtype not in _DTYPES:
        return False
    for x in operands:
        if x is not None and (x.dtype is not dtype or not x.ndim or not x.numel()):
            return False
    return runs_on(*operands)


def _layer(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    flatten: bool,
    activation: str,
    out: OutBuffers,
) -> Tensor:
    columns = weight.shape[0]
    leading = data.shape[:1] if flatten else data.shape[:-1]
    y = target_like(data, (*leading, columns), out)
    vector = None if bias is None else bias.contiguous()
    matrix = y if y.ndim == 2 else y.view(-1, columns)
    product(as_matrix(data, flatten=flatten), weight.t(), vector, activation, matrix)
    return y


@overlay(supports=_supports)
def project(data: Tensor, weight: Tensor, *, flatten: bool, out: OutBuffers = None) -> Tensor:
    """Return ``data · weightᵀ``."""
    return _layer(data, weight, None, flatten, "none", out)


@overlay(supports=_supports)
def fully_connected(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,
    no_bias: bool,
    flatten: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``data · weightᵀ + bias``."""
    return _layer(data, weight, bias, flatten, "none", out)


@overlay(supports=lambda *arrays, act_type, **_: act_type in ACTIVATIONS and _supports(*arrays))
def fully_connected_activation(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,
    no_bias: bool,
    flatten: bool,
    act_type: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return the activation ``act_type`` of ``data · weightᵀ + bias``, fused as an epilogue."""
    return _layer(data, weight, bias, flatten, act_type, out)


@overlay(supports=_supports)
def fully_connected_backward_data(
    dy: Tensor, weight: Tensor, data: Tensor, *, flatten: bool, out: OutBuffers = None
) -> Tensor:
    """Return the gradient to the data: ``dy · weight`` in the shape of ``data``."""
    y = target_like(data, data.shape, out)
    product(as_matrix(dy, flatten=flatten), weight, y=y.view(-1, weight.shape[1]))
    return y


@overlay(supports=_supports)
def fully_connected_backward_weight(
    dy: Tensor, data: Tensor, weight: Tensor, *, flatten: bool, out: OutBuffers = None
) -> Tensor:
    """Return the gradient to the weight: ``dyᵀ · data``."""
    y = target_like(weight, weight.shape, out)
    product(as_matrix(dy, flatten=flatten).t(), as_matrix(data, flatten=flatten), y=y)
    return y


def _lhs(tensor: Tensor, transposed: bool) -> Tensor:
    """Return ``[*I, K]``, or transposed ``[K, *I]``, as a matrix ``[I, K]``."""
    if tensor.ndim == 2:
        return tensor.t() if transposed else tensor
    if transposed:
        return tensor.reshape(tensor.shape[0], prod(tensor.shape[1:])).t()
    return tensor.reshape(prod(tensor.shape[:-1]), tensor.shape[-1])


def _rhs(tensor: Tensor, transposed: bool) -> Tensor:
    """Return ``[K, *J]``, or transposed ``[*J, K]``, as a matrix ``[K, J]``."""
    if tensor.ndim == 2:
        return tensor.t() if transposed else tensor
    if transposed:
        return tensor.reshape(prod(tensor.shape[:-1]), tensor.shape[-1]).t()
    return tensor.reshape(tensor.shape[0], prod(tensor.shape[1:]))


@overlay(supports=_supports)
def dot(
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    forward_stype: str | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return products summed over the last axis of ``lhs`` and the first of ``rhs``."""
    rows = lhs.shape[1:] if transpose_a else lhs.shape[:-1]
    columns = rhs.shape[:-1] if transpose_b else rhs.shape[1:]
    y = target_like(lhs, (*rows, *columns) or (1,), out)
    a, b = _lhs(lhs, transpose_a), _rhs(rhs, transpose_b)
    is_matrix = lhs.ndim == rhs.ndim == 2
    product(a, b, y=y if is_matrix else y.view(a.shape[0], b.shape[1]))
    return y


def _supports_batch(lhs: Tensor, rhs: Tensor, **_: Any) -> bool:
    return lhs.ndim == 3 and rhs.ndim == 3 and len(lhs) == len(rhs) and _supports(lhs, rhs)


@overlay(supports=_supports_batch)
def batch_dot(
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    forward_stype: str | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return the product of each pair of matrices."""
    a, b = lhs.mT if transpose_a else lhs, rhs.mT if transpose_b else rhs
    y = target_like(lhs, (*a.shape[:-1], b.shape[-1]), out)
    return product(a, b, y=y)
