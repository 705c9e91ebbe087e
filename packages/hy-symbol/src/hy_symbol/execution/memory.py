"""Memory: planned and naive size of the intermediate values of programs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hy_symbol.compile.arena import Arena
from hy_symbol.compile.lifetimes import Lifetime, lifetimes_of
from hy_symbol.compile.plan import Plan
from hy_symbol.execution.differentiable import Differentiable
from hy_symbol.execution.program import Program

__all__ = ["Memory", "memory_of"]


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of intermediate values, without inputs, outputs and gradients."""

    naive: int
    """Size if every value had a buffer of its own for the whole run."""
    planned: int
    """Peak size of the values that live at the same time."""
    saved: int = 0
    """Size of the values that the forward pass saves for the backward pass."""
    arena: int = 0
    """Size of the arena, 0 without one."""

    @property
    def ratio(self) -> float:
        """Return planned bytes divided by naive bytes."""
        return self.planned / self.naive if self.naive else 0.0


def memory_of(program: Plan | Program | Differentiable) -> Memory:
    """Return the memory of a program, a plan, or a pair of programs.

    Scratch memory of kernels is not counted.

    Requires: the programs are planned for known types.

    Args:
        program: A plan, a program, or a forward and backward program.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import TypedGraph, sym
        >>> net = sym.exp(sym.dot(sym.exp(sym.var("x")), sym.var("w")))
        >>> known = [((64, 64), "float32"), ((64, 64), "float32")]
        >>> memory_of(Program.of(TypedGraph.of(net.graph, known), device_of(cpu()), is_train=False))
        Memory(naive=32768, planned=16384, saved=0, arena=0)
    """
    if isinstance(program, Plan):
        return Memory(_naive(program, program.outputs), _peak(lifetimes_of(program)))
    if isinstance(program, Program):
        return replace(memory_of(program.plan), arena=_arena_nbytes(program.arena))
    forward, backward = program.forward.plan, program.backward.plan
    first, second = program.lifetimes()
    saved = sum(life.size for life in first if life.last >= len(forward.units))
    outputs = forward.outputs[: program.num_outputs]
    naive = _naive(forward, outputs) + _naive(backward, backward.outputs)
    return Memory(naive, _peak([*first, *second]), saved, _arena_nbytes(program.arena))


def _arena_nbytes(arena: Arena | None) -> int:
    return 0 if arena is None else arena.size


def _naive(plan: Plan, outputs: Sequence[tuple[object, int]]) -> int:
    """Return the total size in bytes of the results of all steps, ``outputs`` excluded."""
    assert plan.types is not None
    returned = {(node, i) for node, i in outputs}
    return sum(
        plan.types.nbytes((node, i))
        for node in plan.steps
        for i in range(node.num_outputs)
        if (node, i) not in returned
    )


def _peak(lifetimes: Sequence[Lifetime]) -> int:
    """Return the largest number of bytes live at one time."""
    # Within one unit results are added before operands are subtracted: a kernel needs both.
    changes = [(float(life.first), 1, life.size) for life in lifetimes]
    changes += [(life.last, 2, -life.size) for life in lifetimes]
    live = peak = 0
    for _, _, change in sorted(changes):
        live += change
        peak = max(peak, live)
    return peak
