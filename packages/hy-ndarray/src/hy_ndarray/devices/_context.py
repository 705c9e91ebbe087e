"""Contexts: device types with device numbers, and the current context of each thread."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from hy_ndarray._errors import ContextError
from hy_ndarray.suggestion import hint
from hy_ndarray.warning import warn


class _Current(threading.local):
    context: "Context | None" = None

    def __init__(self) -> None:
        # threading.local runs this once in each thread that uses the object.
        self.outer: list[Context | None] = []


_current = _Current()


_CONTEXTS: dict[tuple[type, str, int], Any] = {}
"""All contexts: equal ones are the same object, which compares fast as a dictionary key."""


class _ContextType(type):
    """Metaclass of contexts, with MXNet's class attributes."""

    @property
    def default_ctx(cls) -> "Context":
        """Return the current context; deprecated, as in MXNet."""
        _warn_of_default_ctx()
        return current_context()

    @default_ctx.setter
    def default_ctx(cls, ctx: "Context") -> None:
        _warn_of_default_ctx()
        set_default_context(ctx)


def _warn_of_default_ctx() -> None:
    message = "Context.default_ctx is deprecated: use current_context() and set_default_context()"
    warn(message, DeprecationWarning)


class Context(metaclass=_ContextType):
    """Device type and number. Equal contexts are the same object.

    Args:
        device_type: ``"cpu"``, ``"gpu"``, ``"cpu_pinned"`` or ``"cpu_shared"``, or a context.
        device_id: Number of the device among those of its type.

    Raises:
        ContextError: The device type is unknown.

    Example:
        >>> with Context("cpu", 1):
        ...     print(current_context())
        cpu(1)
    """

    __slots__ = ("device_id", "device_type")

    device_type: str
    device_id: int

    devtype2str: ClassVar[dict[int, str]] = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type: ClassVar[dict[str, int]] = {"cpu": 1, "gpu": 2, "cpu_pinned": 3, "cpu_shared": 5}

    if not TYPE_CHECKING:  # type checkers know that of the class

        @property
        def default_ctx(self) -> "Context":
            """Return the current context; deprecated, as in MXNet."""
            _warn_of_default_ctx()
            return current_context()

    def __new__(cls, device_type: "str | Context | None" = None, device_id: int = 0) -> Self:
        if device_type is None:
            # MXNet's pickles create the object without arguments, and set its state afterwards.
            unpickled: Any = object.__new__(_Unpickled)
            existing: Self = unpickled
            return existing
        if isinstance(device_type, Context):
            return cls(device_type.device_type, device_type.device_id)
        if device_type not in cls.devstr2type:
            known = ", ".join(cls.devstr2type)
            raise ContextError(
                f"unknown device type {device_type!r}; known: {known}"
                f"{hint(device_type, cls.devstr2type)}"
            )
        context = super().__new__(cls)
        object.__setattr__(context, "device_type", device_type)
        object.__setattr__(context, "device_id", int(device_id))
        # setdefault is atomic: threads that create equal contexts at once get the same object.
        only: Self = _CONTEXTS.setdefault((cls, device_type, context.device_id), context)
        return only

    def __init__(self, device_type: "str | Context", device_id: int = 0) -> None:
        """Do nothing: ``__new__`` creates contexts, and MXNet's pickles pass no arguments."""

    def __setattr__(self, name: str, value: Any) -> None:
        # Programs restore contexts by setting what they have already. Anything else would change
        # the context of all arrays there, as equal contexts are one object.
        if getattr(self, name) != value:
            raise ContextError(
                f"{name} of {self} cannot be set to {value!r}: equal contexts are one object; "
                "create another, such as Context('gpu', 1)"
            )

    @property
    def device_typeid(self) -> int:
        """Number of the device type in MXNet's file formats."""
        return self.devstr2type[self.device_type]

    @classmethod
    def parse(cls, text: str) -> "Context":
        """Return the context written as ``"cpu(0)"`` or ``"gpu(1)"``, as in operator parameters."""
        kind, _, number = text.rstrip(")").partition("(")
        if number and not number.isdecimal():
            raise ContextError(f"context {text!r} is not of the form 'cpu(0)'")
        return cls(kind, int(number or 0))

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        # By the constructor, so that unpickling finds the shared object.
        return Context, (self.device_type, self.device_id)

    def __enter__(self) -> Self:
        # On a stack of the thread, not in self: equal contexts are one object, which threads and
        # nested scopes may enter at the same time.
        _current.outer.append(_current.context)
        _current.context = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.context = _current.outer.pop()

    def empty_cache(self) -> None:
        """Free pooled memory of the device; numpy has no memory pool."""
        for release in _releases:
            release(self)


class _Unpickled(Context):
    """Context restored from an MXNet pickle, which creates it empty and then sets its state."""

    __slots__ = ()

    # Its value is known too late for __new__ to return the shared object, so that it has an
    # identity of its own and is compared by value.
    def __setstate__(self, state: dict[str, Any]) -> None:
        object.__setattr__(self, "device_type", self.devtype2str[state["device_typeid"]])
        object.__setattr__(self, "device_id", state["device_id"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and Context(other) is Context(self)

    def __hash__(self) -> int:
        return hash(Context(self))


_CPU0 = Context("cpu", 0)
_releases: "list[Callable[[Context], None]]" = []


def when_emptied(release: "Callable[[Context], None]") -> None:
    """Register a function that :meth:`Context.empty_cache` calls with the context."""
    _releases.append(release)


def current_context() -> Context:
    """Return the context of new arrays: that of the innermost ``with``, else ``cpu(0)``."""
    return _current.context or _CPU0


def set_default_context(ctx: Context) -> None:
    """Set the current context of this thread, until the surrounding ``with`` ends.

    Example:
        >>> with cpu(1):
        ...     set_default_context(cpu(2))
        ...     print(current_context())
        cpu(2)
        >>> current_context()
        cpu(0)
    """
    _current.context = ctx


def cpu(device_id: int = 0) -> Context:
    """Return the CPU context; all numbers denote the same CPU with all its cores."""
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """Return the context of page-locked CPU memory, from which copies to a GPU are faster."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """Return the context of GPU number ``device_id``."""
    return Context("gpu", device_id)
