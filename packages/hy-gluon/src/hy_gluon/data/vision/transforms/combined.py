"""Compose and RandomApply: transforms made of other transforms."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from hy_gluon.block import Block, HybridBlock
from hy_gluon.nn import HybridSequential, Lambda, Sequential

__all__ = ["Compose", "RandomApply"]

Transform: TypeAlias = Block | Callable[..., Any]
"""A transform of images: a block, or a function, which becomes a block."""


class Compose(Sequential):
    """Applies several transforms one after the other.

    Args:
        transforms: Blocks or functions, in their order.

    Example:
        >>> from hy_gluon.data.vision.transforms import Cast, Compose, ToTensor
        >>> transform = Compose([ToTensor(), Cast("float16")])
        >>> transform(nd.zeros((2, 4, 3), dtype="uint8")).shape
        (3, 2, 4)
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        super().__init__()
        self.add(
            *_grouped([_block_of(transform) for transform in transforms])
        )  # not hybridized: each size of image would need a graph


def _block_of(transform: Any) -> Any:
    """Return a function wrapped as a block; other objects unchanged."""
    is_function = callable(transform) and not isinstance(transform, Block | type)
    return Lambda(transform) if is_function else transform


def _grouped(transforms: Iterable[Block]) -> Iterator[Block]:
    """Yield the transforms, with consecutive hybrid blocks combined into one."""
    group: list[HybridBlock] = []

    def taken() -> Iterator[Block]:
        if len(group) > 1:
            fused = HybridSequential()
            fused.add(*group)
            yield fused
        else:
            yield from group
        group.clear()

    for transform in transforms:
        if isinstance(transform, HybridBlock):
            group.append(transform)
            continue
        yield from taken()
        yield transform
    yield from taken()


class RandomApply(Sequential):
    """Applies a transform with a given probability.

    Args:
        transforms: A block or function, or a list of them, which is composed.
        p: Probability.

    Example:
        >>> from hy_gluon.data.vision.transforms import Cast
        >>> RandomApply(Cast("int32"), p=0)(nd.array([1.5])).asnumpy()
        array([1.5], dtype=float32)
    """

    def __init__(self, transforms: Transform | Sequence[Transform], p: float = 0.5) -> None:
        super().__init__()
        untyped: Any = transforms
        listed = isinstance(untyped, list | tuple)
        self.transforms = Compose(untyped) if listed else _block_of(untyped)
        self.p = p

    def forward(self, x: Any) -> Any:
        """Return ``x``, transformed or not."""
        return self.transforms(x) if random.random() < self.p else x  # noqa: S311
