"""Nets with attention in all the ways that rules find it, and arrays for them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_gluon import HybridBlock, nn
from hy_ndarray import NDArray, nd

__all__ = [
    "MULTIPLYING",
    "UNMASKED",
    "WAYS",
    "Interleaved",
    "Multiplied",
    "Products",
    "Scores",
    "added",
    "bert",
    "hidden",
    "interleaved",
    "products",
    "taken",
    "times",
]

Scores = Callable[[Any, Any, Any], Any]


def plain(F: Any, scores: Any, mask: Any) -> Any:  # as Gluon calls it
    return F.softmax(scores)


def times(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(scores * 0.5, axis=-1)


def over(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(scores / 4, axis=2)


def bert(F: Any, scores: Any, mask: Any) -> Any:
    """As GluonNLP's cells mask: weights of what is hidden are 0."""
    scores = F.where(mask, scores, -1e4 * F.ones_like(scores))
    return F.softmax(scores, axis=-1) * mask


def factor(F: Any, scores: Any, mask: Any) -> Any:
    scores = F.where(mask, scores, F.zeros_like(scores))
    return F.broadcast_mul(mask, F.softmax(scores, axis=-1))


def hidden(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(F.where(mask, F.contrib.div_sqrt_dim(scores), -1e4 * F.ones_like(scores)))


def added(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(scores + (mask - 1) * 2)


def spread(F: Any, scores: Any, mask: Any) -> Any:
    first = F.slice_axis(mask, axis=1, begin=0, end=1)
    return F.softmax(F.broadcast_add(scores, (first - 1) * 2))


class Products(HybridBlock):
    """Attention as two products."""

    def __init__(self, weigh: Scores, rate: float = 0.0, *, shown: bool = False) -> None:
        super().__init__()
        self.weigh, self.shown = weigh, shown
        with self.name_scope():
            self.drop = nn.Dropout(rate)

    def hybrid_forward(self, F: Any, query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        weights = self.weigh(F, F.batch_dot(query, key, transpose_b=True), mask)
        y = F.batch_dot(self.drop(weights), value)
        return (y, weights) if self.shown else y


def by_transpose(F: Any, query: Any, key: Any) -> Any:
    return F.batch_dot(query, F.transpose(key, axes=(0, 2, 1)))


def by_swapping(F: Any, query: Any, key: Any) -> Any:
    return F.batch_dot(query, F.swapaxes(key, dim1=1, dim2=2))


def by_gemm2(F: Any, query: Any, key: Any) -> Any:
    return F.linalg_gemm2(query, key, transpose_b=True, alpha=0.5)


def by_turned_gemm2(F: Any, query: Any, key: Any) -> Any:
    return F.linalg_gemm2(query, F.transpose(key, axes=(0, 2, 1)), alpha=0.25)


MULTIPLYING: list[Scores] = [by_transpose, by_swapping, by_gemm2, by_turned_gemm2]
"""Other ways to multiply queries and keys."""


class Multiplied(HybridBlock):
    """Attention as two products of other kinds."""

    def __init__(self, multiply: Scores, weigh: Scores) -> None:
        super().__init__()
        self.multiply, self.weigh = multiply, weigh

    def hybrid_forward(self, F: Any, query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        weights = self.weigh(F, self.multiply(F, query, key), mask)
        if "gemm2" in self.multiply.__name__:
            return F.linalg_gemm2(weights, value)
        return F.batch_dot(weights, value)


class Interleaved(HybridBlock):
    """Attention on projections side by side, of one sequence or of two."""

    def __init__(self, of: str, rate: float = 0.0) -> None:
        super().__init__()
        self.of = of
        with self.name_scope():
            self.drop = nn.Dropout(rate)

    def hybrid_forward(self, F: Any, data: Any, other: Any, length: Any) -> Any:
        if self.of == "self":
            scores = F.contrib.interleaved_matmul_selfatt_qk(data, heads=2)
            weights = self.drop(F.softmax(scores, length, use_length=True, axis=-1))
            y = F.contrib.interleaved_matmul_selfatt_valatt(data, weights, heads=2)
            return y + 0 * F.sum(other)
        scores = F.contrib.interleaved_matmul_encdec_qk(data, other, heads=2)
        weights = self.drop(F.softmax(scores, length, use_length=True, axis=-1))
        return F.contrib.interleaved_matmul_encdec_valatt(other, weights, heads=2)


def products(dtype: str = "float32", sizes: tuple[int, int] = (8, 8)) -> list[NDArray]:
    rng = np.random.default_rng(1)
    shapes = [(4, 5, sizes[0]), (4, 7, sizes[0]), (4, 7, sizes[1])]
    mask = rng.integers(0, 2, (4, 5, 7))
    mask[0, 0] = 0
    given = [nd.array(rng.uniform(-1, 1, shape), dtype=dtype) for shape in shapes]
    return [*given, nd.array(mask, dtype=dtype)]


def interleaved(of: str) -> list[NDArray]:
    rng = np.random.default_rng(2)
    shapes = [(5, 3, 24), (1,)] if of == "self" else [(5, 3, 8), (6, 3, 16)]
    given = [nd.array(rng.uniform(-1, 1, shape), dtype="float32") for shape in shapes]
    return [*given, nd.array(rng.integers(1, 6, (6, 5)), dtype="int32")]


UNMASKED: list[Scores] = [plain, times, over]
WAYS = [*UNMASKED, bert, factor, hidden, added, spread]


def taken(weigh: Scores, dtype: str = "float32") -> list[NDArray]:
    """What a net takes."""
    return products(dtype)[: 3 if weigh in UNMASKED else 4]
