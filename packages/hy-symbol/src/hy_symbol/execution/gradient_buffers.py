"""GradientBuffers: lets a program compute gradients directly in their target arrays."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import is_, is_not

from hy_ndarray import Buffer, BufferType, Device, NDArray

__all__ = ["GradientBuffers", "Placement"]


@dataclass(frozen=True, slots=True)
class Placement:
    """Gradients that are computed in place, for certain arrays and inputs."""

    saved: Sequence[Buffer | None] = ()
    """Buffers of the arrays that are to have gradients."""
    fixed: Sequence[Buffer] = ()
    """Inputs that mostly stay the same."""
    out: Sequence[Buffer | None] = ()
    """Where each gradient is to be computed, None where that may be anywhere."""
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Addresses of those memories, by position."""
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    """The same in order."""


_NO_PLACEMENT = Placement()


class GradientBuffers:
    """Out buffers of gradients: which are computed in place, and which are copied.

    A gradient is computed in its target array if that has its type and is contiguous, and if the
    chosen arrays overlap neither each other nor what the backward pass reads.

    Args:
        device: Where the program runs.
        types: Shape and dtype of each gradient that can be computed in given memory, by position.
        count: How many inputs the program has.
        fixed: Positions of the inputs that are the same buffers in most calls.
    """

    def __init__(
        self,
        device: Device,
        types: Mapping[int, BufferType],
        count: int,
        fixed: Collection[int],
    ) -> None:
        self._device = device
        self._types = types
        self._fixed = tuple(fixed)
        self._varying = tuple(set(range(count)).difference(fixed))
        self._known = _NO_PLACEMENT

    def of(
        self,
        targets: Sequence[NDArray | None],
        inputs: Sequence[Buffer],
        heads: Sequence[Buffer],
    ) -> Placement:
        """Return the gradients that are computed in their target arrays.

        Args:
            targets: The array for each gradient, or None.
            inputs: What the program was given.
            heads: Gradients that it begins with.
        """
        if not self._types:
            return _NO_PLACEMENT
        saved = [None if target is None else target.buffer for target in targets]
        if not any(map(is_not, saved, repeat(None))):
            return _NO_PLACEMENT
        # All by C functions, and compared by identity: this runs in each step, for each parameter.
        fixed = [*map(inputs.__getitem__, self._fixed)]
        known = self._known
        if not (_are_same_buffers(known.saved, saved) and _are_same_buffers(known.fixed, fixed)):
            self._known = known = self._buffer_for(targets, saved, fixed)
        if not known.spans:
            return _NO_PLACEMENT
        for buffer in chain(map(inputs.__getitem__, self._varying), heads):
            first, after = self._device.memory.span(buffer)
            # Targets lie apart and in order: only the last that begins before this one ends can
            # meet it.
            position = bisect_left(known.starts, after)
            if position and known.ends[position - 1] > first:
                return _NO_PLACEMENT
        return known

    def is_there(self, value: Buffer, selected: Placement, k: int) -> bool:
        """Return whether gradient ``k``, which may be a view, was computed in its out buffer."""
        position = selected.spans.get(k)
        if position is None:
            return False
        memory = self._device.memory
        return memory.span(value) == position and memory.contiguous(value) is value

    def _buffer_for(
        self,
        targets: Sequence[NDArray | None],
        saved: Sequence[Buffer | None],
        fixed: Sequence[Buffer],
    ) -> Placement:
        memory = self._device.memory
        spans = {
            k: memory.span(saved[k])
            for k, type_ in self._types.items()
            if (target := targets[k]) is not None and self._takes(target, saved[k], type_)
        }
        written = [(*span, True) for span in spans.values()]
        if not _lie_apart([*written, *((*memory.span(buffer), False) for buffer in fixed)]):
            spans = {}
        out = [buffer if k in spans else None for k, buffer in enumerate(saved)]
        ranges = sorted(spans.values())
        return Placement(
            saved, fixed, out, spans, starts=[a for a, _ in ranges], ends=[b for _, b in ranges]
        )

    def _takes(self, target: NDArray, buffer: Buffer, type_: BufferType) -> bool:
        """Return whether an array's buffer can receive a gradient of this type directly."""
        memory = self._device.memory
        return (
            target.device is self._device
            and isinstance(buffer, self._device.buffer_type)  # another table may have it since
            and (buffer.shape, memory.dtype(buffer)) == type_
            and memory.contiguous(buffer) is buffer
        )


def _are_same_buffers(known: Sequence[Buffer | None], now: Sequence[Buffer | None]) -> bool:
    return len(known) == len(now) and all(map(is_, known, now))


def _lie_apart(spans: Sequence[tuple[int, int, bool]]) -> bool:
    """Return whether no written memory overlaps another one; memory only read may overlap."""
    end = end_of_written = 0
    for first, after, is_written in sorted(spans):
        if first < (end if is_written else end_of_written):
            return False
        end = max(end, after)
        if is_written:
            end_of_written = max(end_of_written, after)
    return True
