"""Code generation: the Python source of the function that runs a routine."""

import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from types import CodeType, FunctionType
from typing import Any
from weakref import finalize

from hy_ndarray import Buffer
from hy_ndarray.ops import Operator
from hy_symbol.compile.routine import Instruction, Routine

__all__ = ["Code", "generated"]

_LITERALS = (int, bool, type(None))
"""Of these types exactly, values are written out; nothing that a file says becomes text."""

_MAX_PROGRAMS = 256
"""Texts whose code is kept: a net of other shapes, or made again, often has the same."""
_LONG = 50_000  # characters of a text that is not kept

_serial = count()


@dataclass(frozen=True, eq=False)
class Code:
    """Compiled function, and the instruction of each of its lines."""

    source: str
    run: Callable[..., tuple[Buffer, ...]]
    instruction_of: Mapping[int, Instruction]
    """By line."""

    def like(self, scope: dict[str, Any]) -> "Code":
        """Return the same code bound to another scope."""
        return replace(self, run=FunctionType(self.run.__code__, scope))


def generated(routine: Routine, tick: Callable[[int], None] | None = None) -> Code:
    """Return the function of a list of buffers, which it empties, and of a block if it uses one.

    Args:
        routine: What it does.
        tick: Called after each instruction with its number.
    """
    lines = [f"def run({'inputs, out_buffers' if routine.has_out_buffers else 'inputs'}):"]
    if routine.arguments:
        # The caller's list would keep the inputs alive beyond their last use.
        lines += [f"{_targets(routine.arguments)} = inputs", "inputs.clear()"]
    if routine.memory:
        lines.append(f"{_targets(routine.memory)} = out_buffers")
    instruction_of: dict[int, Instruction] = {}
    for number, instruction in enumerate(routine.instructions):
        for line in _lines(routine, instruction):
            lines.append(line)
            instruction_of[len(lines)] = instruction
        if instruction.frees:
            lines.append(f"del {', '.join(instruction.frees)}")
        if tick is not None:
            lines.append(f"tick({number})")
    lines.append(f"return {_tuple(routine.results)}")
    source = "\n    ".join(lines) + "\n"
    scope = routine.linked.scope
    scope.update(routine.constants)
    if tick is not None:
        scope = {**scope, "tick": tick}
    # Long texts are of graphs that seldom come again: their code would be kept for nothing.
    code = _compiled(source) if len(source) < _LONG else _compiled.__wrapped__(source)
    return Code(source, FunctionType(code, scope), instruction_of)


@lru_cache(_MAX_PROGRAMS)
def _compiled(source: str) -> CodeType:
    """Return the code of the function that a source text defines."""
    filename = f"<program {next(_serial)}>"
    whole = compile(source, filename, "exec")
    # The module's code is thrown away: the function is made for each scope by `FunctionType`.
    (code,) = [each for each in whole.co_consts if isinstance(each, CodeType)]
    shown = source.splitlines(keepends=True)  # tracebacks show its lines
    linecache.cache[filename] = (len(source), None, shown, filename)
    finalize(code, linecache.cache.pop, filename, None).atexit = False
    return code


def _targets(names: tuple[str, ...]) -> str:
    """Return the left side of an assignment that unpacks a sequence."""
    return "".join(f"{name}, " for name in names).strip()


def _tuple(names: tuple[str | None, ...]) -> str:
    return "(" + "".join(f"{name}, " for name in names) + ")"


def _lines(routine: Routine, instruction: Instruction) -> list[str]:
    """Return the source lines of an instruction."""
    if not instruction.targets:
        return []
    if not instruction.kernel:
        return [
            f"{instruction.targets[0]} = {instruction.operands[0]}.reshape(s{instruction.number})"
        ]
    arguments = [str(operand) for operand in instruction.operands]
    if instruction.params:
        arguments += _keywords(routine, instruction, instruction.params)
    for need in instruction.needs:
        arguments.append(f"{need}={_needed(routine, need)}")
    if instruction.out:
        arguments.append(f"out={_tuple(instruction.out)}")
    saved = [f"u{instruction.number}_{j}" for j in range(len(instruction.updated))]
    # Results that overwrite operands have names of their own until they are written: the kernel may
    # have returned the operand itself.
    names = (*instruction.targets, *saved)
    targets = _targets(names) if instruction.returns_tuple else names[0]
    lines = [f"{targets} = {instruction.kernel}({', '.join(arguments)})"]
    return lines + [f"write({x}, {u})" for x, u in zip(instruction.updated, saved, strict=True)]


def _keywords(routine: Routine, instruction: Instruction, params: Mapping[str, Any]) -> list[str]:
    """Return the keyword arguments that pass the parameters to a kernel.

    Names are written out only where the catalogue declared them, in a signature; other operators,
    such as ``Custom``, take theirs from calls and files.
    """
    scope, number = routine.linked.scope, instruction.number
    if type(routine.linked.plan.steps[number].op) is not Operator:
        scope[f"p{number}"] = dict(params)
        return [f"**p{number}"]
    texts = []
    for j, (name, value) in enumerate(params.items()):
        if type(value) in _LITERALS:
            texts.append(f"{name}={value!r}")
        else:
            scope[f"p{number}_{j}"] = value
            texts.append(f"{name}=p{number}_{j}")
    return texts


def _needed(routine: Routine, need: str) -> str:
    """Return the source of a further argument of a kernel, such as its random generator."""
    if need == "is_train":
        return str(routine.linked.plan.is_train)
    return "rng()" if need == "rng" else need
