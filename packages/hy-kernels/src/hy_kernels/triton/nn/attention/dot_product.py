"""Fused attention, without a matrix of scores in memory, and its gradients.

Scores and sums are float32; weights are rounded to the dtype of the values before their product, so
that float16 results have an error of a few units of 2^-11, bfloat16 of 2^-8.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import gcd
from typing import Any, NamedTuple

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.attention.step import dot_product_attention
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import next_power
from hy_kernels.triton.device import attention as device
from hy_kernels.triton.nn.attention._tiles import Tiles, is_split, tiles_for
from hy_kernels.triton.nn.attention.decoding import decoding_tiles, is_decoding, launch_parts
from hy_kernels.triton.runtime._launch import launch, runs_on
from hy_kernels.triton.runtime._precision import product_precision as precision
from hy_kernels.triton.runtime._tune import Problem, choose

__all__ = [
    "DTYPES",
    "LARGEST",
    "AttentionOptions",
    "attended",
    "attended_backward",
    "is_torch_s",
    "self_attention",
    "supports",
]

LARGEST = 256
"""Largest number of elements of a head's vectors."""

_LOGS_AXES = 2
"""Axes of sums that are one logarithm for each query."""

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class AttentionOptions(NamedTuple):
    """Options of attention: scale, masks and dropout."""

    scale: float
    """Factor of the scores."""
    causal: bool = False
    """Whether query ``i`` sees no key after ``i + ahead``."""
    length: Tensor | None = None
    """``[batch * heads, queries]``, contiguous: how many keys each query sees."""
    mask: Tensor | None = None
    """``[batch, heads, queries, keys]``, of any strides."""
    kind: str = "none"
    """What the mask does: ``"added"``: it is added to the scaled scores; ``"where"``: these
    become ``fill`` where it is 0; ``"both"``: likewise, and the weights are multiplied by it."""
    fill: float = 0.0
    rate: float = 0.0
    """Fraction of the weights that are dropped; the others are divided by ``1 - rate``."""
    seed: Tensor | None = None
    """One int64; with the index of a weight it decides whether that is dropped."""
    ahead: int = 0
    """Keys after its own number that a query sees, if causal; below 0 the first see none."""

    def operands(self, other: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return length, mask and seed for a launch; ``other`` in place of each that is None."""
        operands = (self.length, self.mask, self.seed)
        length, mask, seed = (other if x is None else x for x in operands)
        return length, mask, seed

    @property
    def steps(self) -> tuple[int, ...]:
        """Strides of the mask, and ``ahead``."""
        return (*((0, 0, 0, 0) if self.mask is None else self.mask.stride()), self.ahead)

    @property
    def key(self) -> tuple[Any, ...]:
        """Part of the tuning key besides dtype and sizes."""
        return self.causal, self.length is not None, self.kind, self.rate > 0

    def tiles(self, query: Tensor, kind: str) -> Sequence[Tiles]:
        """Return the candidate tiles of a ``kind`` of kernel; the first is the untuned default."""
        masked = self.mask is not None or self.rate > 0
        return tiles_for(query, kind, masked=masked, exact=is_exact(query))

    def constants(
        self, tiles: Tiles, query: Tensor, key: Tensor, strides: Any, sums: Tensor
    ) -> dict[str, Any]:
        """Return the compile-time constants of a launch, with its warps and stages."""
        size = query.shape[3]
        return {
            "warps": tiles.warps,
            "stages": tiles.stages,
            "GROUP": query.shape[1] // key.shape[1],
            "CAUSAL": self.causal,
            "HAS_LENGTH": self.length is not None,
            "MASK": self.kind,
            "FILL": self.fill,
            "RATE": self.rate,
            "PRECISION": precision(query.dtype),
            "LOGS": sums.ndim == _LOGS_AXES,
            "ALIGN": gcd(8, size, *strides),
            "QUERIES": tiles.queries,
            "KEYS": tiles.keys,
            "SIZE": _width(size),
        }


def _width(size: int) -> int:
    """Return the columns of a tile for vectors of a size: a power of 2, at least 16."""
    return max(next_power(size), 16)


def is_exact(query: Tensor) -> bool:
    """Return whether products are exact float32, which tensor cores do not compute."""
    return query.dtype is torch.float32 and precision(torch.float32) == "ieee"


def _strides(*tensors: Tensor) -> list[int]:
    return [n for x in tensors for n in x.stride()[:3]]


def _check_shapes(query: Tensor, key: Tensor, value: Tensor) -> None:
    samples, heads, *_ = query.shape
    if key.shape != value.shape or key.shape[0] != samples or heads % max(key.shape[1], 1):
        shapes = ", ".join(str(tuple(x.shape)) for x in (query, key, value))
        raise ValueError(f"no attention of queries, keys and values of shapes {shapes}")
    if query.shape[-1] != key.shape[-1] or query.shape[-1] > LARGEST:
        sizes = f"{query.shape[-1]} and {key.shape[-1]}"
        raise ValueError(f"vectors of {sizes} elements; they have to be equal, {LARGEST} at most")


def attended(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    y: Tensor,
    options: AttentionOptions,
    logs: Tensor | None = None,
) -> Tensor:
    """Write ``softmax(query · keyᵀ · scale) · value`` to ``y``; return statistics for the gradient.

    Args:
        query: ``[batch, heads, queries, size]``, the last axis without gaps.
        key: ``[batch, groups, keys, size]``, likewise; consecutive heads share a group.
        value: As ``key``.
        y: As ``query``, memory for the result.
        options: Scale, masks and dropout.
        logs: ``[batch * heads, queries]``, contiguous, float32: memory for the statistics, if they
            are to be the logarithm of each query's sum of exponentials, 0 if it sees no key.

    Returns:
        ``logs``, or ``[batch * heads, queries, 2]``, float32: for each query the maximum ``m`` of
        its scores times log2(e), and the sum of ``2 ** (score * log2(e) - m)``.

    Raises:
        ValueError: The shapes do not fit.
    """
    _check_shapes(query, key, value)
    batch, heads, queries, size = query.shape
    sums = logs
    if sums is None:
        sums = query.new_empty((batch * heads, queries, 2), dtype=torch.float32)
    operands, masking = (
        (query, key, value, y, sums),
        (*options.operands(sums), float(options.scale)),
    )
    sizes, strides = (heads, queries, key.shape[2], size), _strides(query, key, value, y)
    if is_decoding(query, key):
        constants = options.constants(decoding_tiles(query, key), query, key, strides, sums)
        launch_parts(operands, masking, sizes, (*strides, *options.steps), constants)
        return sums

    def run(tiles: Tiles) -> None:
        grid = (-(-queries // tiles.queries) * batch * heads,)
        numbers = options.constants(tiles, query, key, strides, sums)
        steps = (*strides, *options.steps)
        launch(device.attention_forward, grid, *operands, *masking, *sizes, *steps, **numbers)

    _by_fastest("forward", run, query, key, options)
    return sums


def _by_fastest(
    kind: str, run: Callable[[Tiles], None], query: Tensor, key: Tensor, options: AttentionOptions
) -> None:
    """Call ``run`` with the fastest tiles for arrays of these shapes."""
    tiles = options.tiles(query, kind)
    way = tiles[0].name
    # Of float32 there is one size that fits: nothing is looked up, and a file of an earlier version
    # that names another one is not asked.
    if len(tiles) > 1:
        batch, heads, queries, size = query.shape
        sizes = (batch * heads, queries, key.shape[2], size)
        words = (query.dtype, precision(query.dtype), *options.key)
        way = choose(
            Problem.of(f"attention {kind}", words, sizes),
            lambda: {x.name: partial(run, x) for x in tiles},
            untuned=way,
            device=query.device,
        )
    run(next(x for x in tiles if x.name == way))


def attended_backward(
    dy: Tensor,
    arrays: tuple[Tensor, Tensor, Tensor],
    y: Tensor,
    sums: Tensor,
    results: tuple[Tensor, Tensor, Tensor],
    options: AttentionOptions,
) -> None:
    """Write the gradients of :func:`attended` to ``results``.

    Args:
        dy: The gradient of the result, with the strides of ``y``.
        arrays: Queries, keys and values.
        y: The result.
        sums: What :func:`attended` returned.
        results: Memory for the three gradients, with the strides of ``arrays``.
        options: Those of :func:`attended`.
    """
    query, key, value = arrays
    batch, heads, queries, size = query.shape
    groups, keys = key.shape[1:3]
    rows = options.tiles(query, "queries")[0].queries
    # Three launches and no matrix of scores: sums of dy times y, then keys and values, then
    # queries. To do both gradients in one would need atomic additions for one of them.
    along = query.new_empty((batch * heads, queries), dtype=torch.float32)
    launch(
        device.attention_along,
        (-(-queries // rows) * batch * heads,),
        *(dy, y, along, heads, queries, size),
        *_strides(y),
        ALIGN=gcd(8, size, *_strides(y)),
        QUERIES=rows,
        SIZE=_width(size),
    )
    operands, others = (query, key, value, dy, sums, along), options.operands(sums)
    sizes, strides = (heads, queries, keys, size), _strides(query, key, value, y)
    after = (*others, float(options.scale), *sizes, *strides, *options.steps)

    def to_keys(tiles: Tiles) -> None:
        grid, gradients = (-(-keys // tiles.keys) * batch * groups,), results[1:]
        numbers = options.constants(tiles, query, key, strides, sums)
        for part in ("keys", "values") if is_split(query) else ("both",):
            launch(
                device.attention_backward_keys, grid, *operands, *gradients, *after, **numbers,
                PART=part,
            )  # fmt: skip

    def to_queries(tiles: Tiles) -> None:
        grid, gradient = (-(-queries // tiles.queries) * batch * heads,), results[0]
        numbers = options.constants(tiles, query, key, strides, sums)
        launch(device.attention_backward_queries, grid, *operands, gradient, *after, **numbers)

    _by_fastest("keys", to_keys, query, key, options)
    _by_fastest("queries", to_queries, query, key, options)


def is_torch_s(query: Tensor) -> bool:
    """Return whether attention is left to torch: for exact float32, which uses no tensor cores."""
    return is_exact(query)


def supports(*tensors: Tensor | None) -> bool:
    """Return whether these kernels support the operands, of which the first is a product's."""
    first = tensors[0]
    assert first is not None
    is_standard = first.dtype in DTYPES and all(x is None or x.numel() for x in tensors)
    return is_standard and not is_torch_s(first) and runs_on(*tensors)


def _supports(data: Tensor, length: Tensor | None = None, *, heads: int, **_: Any) -> bool:
    return data.shape[2] // (3 * heads) <= LARGEST and supports(data, length)


def _by_torch(
    queries_keys_values: Tensor, length: Tensor | None = None, *, heads: int, with_length: bool
) -> Tensor:
    """Compute :func:`self_attention` by torch's kernel, for operands not supported here."""
    size = queries_keys_values.shape[2] // (3 * heads)
    return dot_product_attention(
        *(queries_keys_values,) * 3,
        length,
        heads=heads,
        parts=tuple((heads, 3, k) for k in range(3)),
        scale=size**-0.5,
        mask="length" if with_length else "none",
        fill=0.0,
        binary=False,
    )


@overlay(supports=_supports, below=Kernel("self_attention", _by_torch))
def self_attention(
    queries_keys_values: Tensor, length: Tensor | None = None, *, heads: int, with_length: bool
) -> Tensor:
    """Return ``softmax(query · keyᵀ / sqrt(D)) · value`` for interleaved projections.

    Args:
        queries_keys_values: ``(L, N, heads * 3 * D)``, read without a copy if contiguous.
        length: ``(N * heads, L)``, the number of keys that each query sees.
        heads: Number of heads.
        with_length: Whether there is a ``length``.

    Returns:
        ``(L, N, heads * D)``.
    """
    steps, samples, width = queries_keys_values.shape
    size = width // (3 * heads)
    parts = queries_keys_values.contiguous().view(steps, samples, heads, 3, size)
    query, key, value = parts.permute(3, 1, 2, 0, 4).unbind(0)
    y = torch.empty((steps, samples, heads, size), dtype=query.dtype, device=query.device)
    seen = None if length is None else length.contiguous()
    result = y.permute(1, 2, 0, 3)
    attended(query, key, value, result, AttentionOptions(size**-0.5, length=seen))
    return y.view(steps, samples, width // 3)
