"""Compose and RandomApply: transforms out of transforms."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from hy_gluon.block import Block, HybridBlock
from hy_gluon.nn import HybridSequential, Sequential

__all__ = ["Compose", "RandomApply"]


class Compose(Sequential):
    """Transforms that run one after the other.

    Args:
        transforms: Blocks, in their order.

    Example:
        >>> from hy_gluon.data.vision.transforms import Cast, Compose, ToTensor
        >>> transform = Compose([ToTensor(), Cast("float16")])
        >>> transform(nd.zeros((2, 4, 3), dtype="uint8")).shape
        (3, 2, 4)
    """

    def __init__(self, transforms: Sequence[Block]) -> None:
        super().__init__()
        self.add(*_grouped(transforms))  # not hybridized: each size of image would need a graph


def _grouped(transforms: Sequence[Block]) -> Iterator[Block]:
    """Hybrid blocks that stand side by side are put into one."""
    group: list[HybridBlock] = []

    def taken() -> Iterator[Block]:
        if len(group) > 1:
            joined = HybridSequential()
            joined.add(*group)
            yield joined
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
    """Applies a transform to some of the images.

    Args:
        transforms: A block, or a list of blocks for :class:`Compose`.
        p: The probability.

    Example:
        >>> from hy_gluon.data.vision.transforms import Cast
        >>> RandomApply(Cast("int32"), p=0)(nd.array([1.5])).asnumpy()
        array([1.5], dtype=float32)
    """

    def __init__(self, transforms: Block | Sequence[Block], p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms if isinstance(transforms, Block) else Compose(transforms)
        self.p = p

    def forward(self, x: Any) -> Any:
        """Transform ``x``, or do not."""
        return self.transforms(x) if random.random() < self.p else x  # noqa: S311
