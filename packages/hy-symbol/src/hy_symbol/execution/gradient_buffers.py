"""GradientBuffers: lets a program compute gradients directly in their target arrays."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import is_, is_not

from hy_ndarray import Buffer, BufferType, Device, NDArray

__all__ = ["GradientBuffers", "Placement", "lie_apart"]


@dataclass(frozen=True, slots=True)
class Placement:
    """Gradients that are written to their target arrays, cached for these arrays and inputs."""

    saved: Sequence[Buffer | None] = ()
    """Buffers of the target arrays; None for gradients without one."""
    fixed: Sequence[Buffer] = ()
    """Buffers of the inputs that are the same in most calls."""
    out: Sequence[Buffer | None] = ()
    """Out buffer of each gradient, None for gradients that are copied."""
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Begin and end address of each out buffer, by position of the gradient."""
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    """Begin and end addresses in ascending order."""


_NO_PLACEMENT = Placement()


class GradientBuffers:
    """Decides which gradients are written directly to their target arrays, and which are copied.

    A gradient is written directly if its target array has its type and is contiguous, and if the
    targets overlap neither each other nor any operand of the backward pass.

    Args:
        device: Where the program runs.
        types: Shape and dtype of each gradient that can be written to an out buffer, by position.
        count: Number of inputs of the program.
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
        """Return which gradients to write to their target arrays in this run.

        Args:
            targets: The array for each gradient, or None.
            inputs: The inputs of the program.
            heads: Head gradients of the backward pass.
        """
        if not self._types:
            return _NO_PLACEMENT
        saved = [None if target is None else target.buffer for target in targets]
        if not any(map(is_not, saved, repeat(None))):
            return _NO_PLACEMENT
        # C functions and comparison by identity only, as this runs in each step for each parameter.
        fixed = [*map(inputs.__getitem__, self._fixed)]
        known = self._known
        if not (_are_same_buffers(known.saved, saved) and _are_same_buffers(known.fixed, fixed)):
            self._known = known = self._buffer_for(targets, saved, fixed)
        if not known.spans:
            return _NO_PLACEMENT
        for buffer in chain(map(inputs.__getitem__, self._varying), heads):
            first, after = self._device.memory.span(buffer)
            # Targets are disjoint and sorted: only the last that begins before this buffer ends can
            # overlap it.
            position = bisect_left(known.starts, after)
            if position and known.ends[position - 1] > first:
                return _NO_PLACEMENT
        return known

    def is_there(self, value: Buffer, selected: Placement, k: int) -> bool:
        """Return whether ``value``, gradient ``k``, lies in its out buffer and needs no copy."""
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
        if not lie_apart([*written, *((*memory.span(buffer), False) for buffer in fixed)]):
            spans = {}
        out = [buffer if k in spans else None for k, buffer in enumerate(saved)]
        ranges = sorted(spans.values())
        return Placement(
            saved, fixed, out, spans, starts=[a for a, _ in ranges], ends=[b for _, b in ranges]
        )

    def _takes(self, target: NDArray, buffer: Buffer, type_: BufferType) -> bool:
        """Return whether a target array can serve as the out buffer of a gradient of this type."""
        memory = self._device.memory
        return (
            target.device is self._device
            and isinstance(buffer, self._device.buffer_type)  # another table may have it since
            and (buffer.shape, memory.dtype(buffer)) == type_
            and memory.contiguous(buffer) is buffer
        )


def _are_same_buffers(known: Sequence[Buffer | None], now: Sequence[Buffer | None]) -> bool:
    return len(known) == len(now) and all(map(is_, known, now))


def lie_apart(spans: Sequence[tuple[int, int, bool]]) -> bool:
    """Return whether no written address range overlaps another range; ranges only read may."""
    end = end_of_written = 0
    for first, after, is_written in sorted(spans):
        if first < (end if is_written else end_of_written):
            return False
        end = max(end, after)
        if is_written:
            end_of_written = max(end_of_written, after)
    return True
