"""LazyCode: a routine whose code is compiled when it first runs."""

import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from hy_ndarray import Buffer
from hy_symbol.compile.codegen import Code, generated
from hy_symbol.compile.linking import Linked
from hy_symbol.compile.routine import Instruction, Routine

__all__ = ["LazyCode"]


class LazyCode:
    """Routine that runs as compiled code.

    Args:
        routine: The instructions to compile.
        announces: See :func:`~hy_symbol.compile.codegen.generated`.
    """

    def __init__(self, routine: Routine, *, announces: bool = False) -> None:
        self.routine = routine
        self._announces = announces
        self._lock = threading.Lock()
        self._code: Code | None = None
        self._observed: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
        self._unobserved: Callable[..., tuple[Buffer, ...]] = self._first
        self.run = self._unobserved

    def observe(self, observed: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replace :attr:`run` by ``observed(run)``, for example to profile it."""
        self._observed = observed
        self.run = observed(self._unobserved)

    def code(self) -> Code:
        """Return the routine's code, compiled on first use."""
        with self._lock:
            if self._code is None:
                self._switch_to(generated(self.routine, announces=self._announces))
            assert self._code is not None
            return self._code

    def like(self, linked: Linked) -> "LazyCode":
        """Return the same code bound to the kernels for other sizes, without compiling again."""
        copied = LazyCode(self.routine.like(linked))
        copied._switch_to(self.code().like(linked.scope))
        return copied

    def instruction_at(self, frame: FrameType, line: int) -> Instruction | None:
        """Return the instruction at a traceback's line, None if the frame runs other code."""
        if self._code is None or frame.f_code is not self._code.run.__code__:
            return None
        return self._code.instruction_of.get(line)

    def _switch_to(self, code: Code) -> None:
        # Callers that read `run` before still hold `_first`, which finds the code there: no lock.
        self._code, self._unobserved = code, code.run
        self.run = code.run if self._observed is None else self._observed(code.run)

    def _first(self, *buffers: Any) -> tuple[Buffer, ...]:
        return self.code().run(*buffers)
