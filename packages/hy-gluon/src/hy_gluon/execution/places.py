"""Places: gradients of a program computed in the arrays that are to have them."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from operator import is_
from typing import TypeAlias

from hy_ndarray import Buffer, BufferType, Device, NDArray

__all__ = ["Places"]

_Spans: TypeAlias = tuple[list[int], list[int]]
_Known: TypeAlias = tuple[list[Buffer | None], list[Buffer], dict[int, tuple[int, int]], _Spans]
"""Buffers of the arrays, inputs that mostly stay the same, what can be computed in place and where
it lies, and all of these addresses in order."""


class Places:
    """Which gradients are computed where they are kept, and which are copied there.

    An array takes one if it has its type and is contiguous, and if all that are chosen share memory
    with nothing that the backward pass reads, nor with each other.

    Args:
        device: Where the program runs.
        types: Shape and dtype of each gradient that can be computed in given memory, by position.
        fixed: Positions of the inputs that are the same buffers in most calls.
    """

    def __init__(
        self, device: Device, types: Mapping[int, BufferType], fixed: Collection[int]
    ) -> None:
        self._device = device
        self._types = types
        self._fixed = frozenset(fixed)
        self._known: _Known | None = None

    def of(
        self,
        targets: Sequence[NDArray | None],
        inputs: Sequence[Buffer],
        heads: Sequence[Buffer],
    ) -> dict[int, tuple[int, int]]:
        """The gradients that are computed in their targets, and where these lie, by position.

        Args:
            targets: The array for each gradient, or None.
            inputs: What the program was given.
            heads: Gradients that it begins with.
        """
        if not self._types:
            return {}
        kept = [None if target is None else target.buffer for target in targets]
        fixed = [buffer for i, buffer in enumerate(inputs) if i in self._fixed]
        known = self._known
        if known is None or not (_same(known[0], kept) and _same(known[1], fixed)):
            self._known = known = self._found(targets, kept, fixed)
        _, _, chosen, (starts, ends) = known
        if not chosen:
            return chosen
        varying = (buffer for i, buffer in enumerate(inputs) if i not in self._fixed)
        for buffer in (*varying, *heads):
            first, behind = self._device.memory.span(buffer)
            place = bisect_left(starts, behind)
            if place and ends[place - 1] > first:
                return {}
        return chosen

    def is_there(self, value: Buffer, place: tuple[int, int]) -> bool:
        """Whether a gradient was computed in its place."""
        memory = self._device.memory
        return memory.span(value) == place and memory.contiguous(value) is value

    def _found(
        self,
        targets: Sequence[NDArray | None],
        kept: list[Buffer | None],
        fixed: list[Buffer],
    ) -> _Known:
        memory = self._device.memory
        chosen = {
            k: memory.span(kept[k])
            for k, type_ in self._types.items()
            if (target := targets[k]) is not None and self._takes(target, type_)
        }
        spans = [(*span, True) for span in chosen.values()]
        spans += [(*memory.span(buffer), False) for buffer in fixed]
        if not _lie_apart(spans):
            chosen = {}
        places = sorted(chosen.values())
        return kept, fixed, chosen, ([a for a, _ in places], [b for _, b in places])

    def _takes(self, target: NDArray, type_: BufferType) -> bool:
        """Whether an array can take a gradient of this type as it is computed."""
        memory, buffer = self._device.memory, target.buffer
        return (
            target.device is self._device
            and (buffer.shape, memory.dtype(buffer)) == type_
            and memory.contiguous(buffer) is buffer
        )


def _same(known: Sequence[Buffer | None], now: Sequence[Buffer | None]) -> bool:
    return len(known) == len(now) and all(map(is_, known, now))


def _lie_apart(spans: Sequence[tuple[int, int, bool]]) -> bool:
    """Whether no memory that is written is shared with another one; others may share theirs."""
    end = end_of_written = 0
    for first, behind, is_written in sorted(spans):
        if first < (end if is_written else end_of_written):
            return False
        end = max(end, behind)
        if is_written:
            end_of_written = max(end_of_written, behind)
    return True
