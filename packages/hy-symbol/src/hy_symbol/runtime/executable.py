"""Executable: a routine that runs, and is compiled once it runs again."""

import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from hy_ndarray import Buffer
from hy_symbol.compile.codegen import Code, generated
from hy_symbol.compile.linking import Linked
from hy_symbol.compile.routine import Instruction, Routine
from hy_symbol.runtime.stepwise import run_stepwise

__all__ = ["Executable"]


class Executable:
    """A routine that runs: step by step the first time, as code from the second one on.

    Args:
        routine: What it does.
    """

    def __init__(self, routine: Routine) -> None:
        self.routine = routine
        self._lock = threading.Lock()
        self._code: Code | None = None
        self._observed: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
        self._bare: Callable[..., tuple[Buffer, ...]] = self._first
        self.run = self._bare

    def observe(self, observed: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Run what ``observed`` makes of the function from now on."""
        self._observed = observed
        self.run = observed(self._bare)

    def code(self) -> Code:
        """Its code, compiled now if it was not."""
        with self._lock:
            if self._code is None:
                self._code = generated(self.routine)
                self._switch_to(self._code.run)
            return self._code

    def like(self, linked: Linked) -> "Executable":
        """The same instructions with other kernels, for other sizes; its code is there already."""
        made = Executable(self.routine.like(linked))
        made._code = self.code().like(linked.scope)
        made._switch_to(made._code.run)
        return made

    def instruction_at(self, frame: FrameType, line: int) -> Instruction | None:
        """The instruction that a line of a traceback belongs to, if that is in its code."""
        if self._code is None or frame.f_code is not self._code.run.__code__:
            return None
        return self._code.instruction_of.get(line)

    def _switch_to(self, run: Callable[..., tuple[Buffer, ...]]) -> None:
        self._bare = run
        self.run = run if self._observed is None else self._observed(run)

    def _first(self, *given: Any) -> tuple[Buffer, ...]:
        with self._lock:
            if self._code is None:  # another thread may be ahead
                self._switch_to(self._second)
        return run_stepwise(self.routine, *given)

    def _second(self, *given: Any) -> tuple[Buffer, ...]:
        return self.code().run(*given)
