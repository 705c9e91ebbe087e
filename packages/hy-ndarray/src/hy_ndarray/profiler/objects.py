"""User-defined measurements: tasks, frames, events, counters and markers."""

from itertools import count
from types import TracebackType
from typing import Any, Self, SupportsFloat

from hy_ndarray._errors import ArgumentError
from hy_ndarray.profiler.control import recorder
from hy_ndarray.profiler.recorder import clock

__all__ = ["Counter", "Domain", "Event", "Frame", "Marker", "Task"]

_numbers = count(1)
_MARKER_SCOPES = {"global": "g", "process": "p", "task": "p", "marker": "p", "thread": "t"}


class Domain:
    """Group of tasks, frames, counters and markers; a section in the table of :func:`dumps`.

    Args:
        name: Name of the object.

    Example:
        >>> images = Domain("images").new_counter("images", 0)
        >>> images += 32
        >>> print(images, images.value)
        images 32
    """

    def __init__(self, name: str) -> None:
        self.name = _checked_name("Domain", name)

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> "Task":
        """Return a task of this domain."""
        return Task(self, name)

    def new_frame(self, name: str) -> "Frame":
        """Return a frame of this domain."""
        return Frame(self, name)

    def new_counter(self, name: str, value: SupportsFloat | None = None) -> "Counter":
        """Return a counter of this domain."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> "Marker":
        """Return a marker of this domain."""
        return Marker(self, name)


class _Timer:
    """Duration that can be measured repeatedly; start and stop may be on different threads."""

    def __init__(self, name: str, category: str) -> None:
        self.name = _checked_name(type(self).__name__, name)
        self._category = category
        self._begin: int | None = None

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Start the measurement; restart it if it is running."""
        self._begin = clock() if recorder.active else None

    def stop(self) -> None:
        """Stop the measurement and record its duration; no effect if it is not running."""
        begin, self._begin = self._begin, None
        if begin is not None and recorder.active:
            number = {"id": next(_numbers)}
            recorder.add("b", self.name, self._category, begin, clock() - begin, number)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class Task(_Timer):
    """Measured work that may overlap other tasks.

    Args:
        domain: The domain that the object belongs to.
        name: Name of the object.

    Example:
        >>> with Task(Domain("epoch"), "load"):
        ...     pass
    """

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, str(domain))


class Frame(_Timer):
    """Measured work that repeats, such as a training step.

    Args:
        domain: The domain that the object belongs to.
        name: Name of the object.
    """

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, f"{domain},frame")


class Event(_Timer):
    """Measured work that belongs to no domain.

    Args:
        name: Name of the object.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, "event")


class Counter:
    """Number whose values are recorded over time.

    Args:
        domain: The domain that the object belongs to.
        name: Name of the object.
        value: The initial value; if None, the counter starts at 0 with its first change.
    """

    def __init__(self, domain: Domain, name: str, value: SupportsFloat | None = None) -> None:
        self.name = _checked_name("Counter", name)
        self.value: float = 0
        """The current value."""
        self._category = str(domain)
        if value is not None:
            self.set_value(value)

    def __str__(self) -> str:
        return self.name

    def set_value(self, value: SupportsFloat) -> None:
        """Set the value and record it.

        Raises:
            ArgumentError: ``value`` is not a number.
        """
        self.value = _checked_number(self.name, value)
        if recorder.active:
            recorder.count(self.name, self._category, self.value)

    def increment(self, delta: SupportsFloat = 1) -> None:
        """Increase the value by ``delta``."""
        self.set_value(self.value + _checked_number(self.name, delta))

    def decrement(self, delta: SupportsFloat = 1) -> None:
        """Decrease the value by ``delta``."""
        self.set_value(self.value - _checked_number(self.name, delta))

    def __iadd__(self, delta: SupportsFloat) -> Self:
        self.increment(delta)
        return self

    def __isub__(self, delta: SupportsFloat) -> Self:
        self.decrement(delta)
        return self


class Marker:
    """Named point in time, which can be recorded repeatedly.

    Args:
        domain: The domain that the object belongs to.
        name: Name of the object.
    """

    def __init__(self, domain: Domain, name: str) -> None:
        self.name = _checked_name("Marker", name)
        self.domain = domain

    def __str__(self) -> str:
        return self.name

    def mark(self, scope: str = "process") -> None:
        """Record the marker at the current time.

        Args:
            scope: Extent of the marker in the trace: ``"global"``, ``"process"`` or ``"thread"``;
                ``"task"`` and ``"marker"`` mean ``"process"``.

        Raises:
            ArgumentError: ``scope`` is none of these.
        """
        if scope not in _MARKER_SCOPES:
            known = ", ".join(map(repr, _MARKER_SCOPES))
            raise ArgumentError(f"Marker {self.name!r}: scope={scope!r} is not one of {known}")
        if recorder.active:
            category = f"{self.domain},instant_marker"
            recorder.add("i", self.name, category, clock(), 0, {"scope": _MARKER_SCOPES[scope]})


def _checked_name(kind: str, name: Any) -> str:
    if not isinstance(name, str):
        raise ArgumentError(f"{kind}: name={name!r} must be a string")
    return name


def _checked_number(name: str, value: Any) -> float:
    if isinstance(value, int):
        return value
    if not hasattr(value, "__float__"):
        raise ArgumentError(f"Counter {name!r}: {value!r} is not a number")
    return float(value)
