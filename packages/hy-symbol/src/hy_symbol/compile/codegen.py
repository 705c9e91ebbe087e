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
"""Values of exactly these types are written into the source; no text from a file ever is."""

_MAX_PROGRAMS = 256
"""Number of cached source texts: a net with other shapes, or rebuilt, often has the same."""
_LONG = 50_000  # characters of a text that is not kept

_serial = count()


@dataclass(frozen=True, eq=False)
class Code:
    """Compiled function, and the instruction of each of its lines."""

    source: str
    run: Callable[..., tuple[Buffer, ...]]
    instruction_of: Mapping[int, Instruction]
    """Instructions by line number of the source."""

    def like(self, scope: dict[str, Any]) -> "Code":
        """Return the same code with other global names."""
        return replace(self, run=FunctionType(self.run.__code__, scope))


def generated(
    routine: Routine, tick: Callable[[int], None] | None = None, *, announces: bool = False
) -> Code:
    """Compile a routine to ``run(inputs)``, or to ``run(inputs, out_buffers)`` if it has any.

    ``inputs`` is a list of buffers, which ``run`` empties so that each is freed after its last use.

    Args:
        routine: The instructions to compile.
        tick: Called with the number of each instruction after it has run; used to time them.
        announces: Whether ``run`` takes a further argument, a function that is called with the
            position and the buffer of each output as soon as it is computed.
    """
    names = ["inputs", *["out_buffers"] * routine.has_out_buffers, *["done"] * announces]
    lines = [f"def run({', '.join(names)}):"]
    finished = routine.finished() if announces else {}
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
        lines += [f"done({k}, {routine.results[k]})" for k in finished.get(number, ())]
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
    """Return the code object of the only function that a source text defines."""
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
    """Return the source of the keyword arguments that pass the parameters to a kernel.

    Parameter names are written out only for operators of the catalogue, which declare them in a
    signature; other operators, such as ``Custom``, get theirs from calls and files.
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
    """Return the source of a kernel's argument ``need``, such as its random generator."""
    if need == "is_train":
        return str(routine.linked.plan.is_train)
    return "rng()" if need == "rng" else need
