"""Memory: how many bytes the values inside of programs take, planned and naively."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf

from hy_symbol.differentiable import Differentiable
from hy_symbol.planning import Storage, key_of, size_of
from hy_symbol.program import Program

__all__ = ["Memory", "memory_of"]


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of the values inside; inputs, outputs and gradients that are returned do not count."""

    naive: int
    """If every value had a buffer of its own, from the beginning to the end."""
    planned: int
    """The most that lives at any time."""
    saved: int = 0
    """What lives from the forward to the backward pass."""

    @property
    def ratio(self) -> float:
        """Planned by naive bytes."""
        return self.planned / self.naive if self.naive else 0.0


def memory_of(program: Program | Differentiable) -> Memory:
    """The memory of a program, or of a forward and a backward program that share one plan.

    Kernels may need scratch memory besides, which is not counted.

    Requires: the programs are planned for known types.

    Args:
        program: What runs.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> net = sym.exp(sym.dot(sym.exp(sym.var("x")), sym.var("w")))
        >>> known = [((64, 64), "float32"), ((64, 64), "float32")]
        >>> memory_of(Program.of(net.graph, device_of(cpu()), known, is_train=False))
        Memory(naive=32768, planned=16384, saved=0)
    """
    if isinstance(program, Program):
        return Memory(_naive(program, program.outputs), _peak(_spans(program, 0, {})))
    forward, backward = program.forward, program.backward
    offset = len(forward.plan.units)
    taken = {
        key_of(entry): offset + storage.last
        for entry in backward.inputs
        if (storage := backward.plan.of_key[key_of(entry)]).last >= 0
    }
    outputs = forward.outputs[: program.num_outputs]
    until = {key: time for key, time in taken.items() if key in forward.plan.of_key}
    spans = _spans(forward, 0, until, {key_of(entry) for entry in outputs})
    saved = sum(size for size, _, last in spans if last >= offset)
    spans += _spans(backward, offset, {})
    naive = _naive(forward, outputs) + _naive(backward, backward.outputs)
    return Memory(naive, _peak(spans), saved)


_Span = tuple[int, int, float]


def _naive(program: Program, outputs: Sequence[tuple[object, int]]) -> int:
    """Bytes of all results of all steps that are not outputs."""
    assert program.types is not None
    returned = {(id(node), i) for node, i in outputs}
    return sum(
        size_of(program.types, (node, i))
        for node in program.steps
        for i in range(node.num_outputs)
        if (id(node), i) not in returned
    )


def _spans(
    program: Program,
    offset: int,
    until: dict[tuple[int, int], float],
    returned: set[tuple[int, int]] | None = None,
) -> list[_Span]:
    """Size, beginning and end of each buffer that the program makes and does not return.

    ``until`` tells how long values are needed behind the program.
    """
    spans: list[_Span] = []
    for storage in program.plan.storages:
        if not storage.owned or _is_returned(storage, returned):
            continue
        ends = [until[key] for key in storage.keys if key in until]
        last = max(ends, default=-1.0) if isinf(storage.last) else offset + storage.last
        spans.append((storage.size, offset + storage.first, max(last, *ends) if ends else last))
    return spans


def _is_returned(storage: Storage, returned: set[tuple[int, int]] | None) -> bool:
    if returned is None:
        return storage.last == inf
    return not returned.isdisjoint(storage.keys)


def _peak(spans: Sequence[_Span]) -> int:
    """The most bytes that live at a time."""
    changes: list[tuple[float, int, int]] = [(first, 1, size) for size, first, _ in spans]
    changes += [(last, 2, -size) for size, _, last in spans]
    live = most = 0
    for _, _, change in sorted(changes):
        live += change
        most = max(most, live)
    return most
