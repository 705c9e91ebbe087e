"""Events of training, for which an estimator calls its handlers, and their order."""

from collections.abc import Iterable
from typing import Any

from hy_gluon.contrib.estimator._errors import EstimatorError

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "Handlers",
    "TrainBegin",
    "TrainEnd",
]


class EventHandler:
    """Base class of all event handlers.

    A handler inherits from the classes of the events it handles. Handlers are called in ascending
    order of their attribute ``priority``, by default 0. Among equals, those passed to ``fit`` come
    first, in their order. Default handlers have the priorities -2000 (update of the parameters),
    -1000 (metrics, validation), 0 (stopping) and infinity (logging).

    Example:
        >>> class Printer(EpochEnd):
        ...     def epoch_end(self, estimator, *args, **kwargs):
        ...         print(estimator.current_epoch)
        >>> isinstance(Printer(), EventHandler)
        True
    """

    priority: float = 0


class TrainBegin(EventHandler):
    """Handler called before the first epoch of ``fit``."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """React to the start of training."""


class TrainEnd(EventHandler):
    """Handler called after the last epoch of ``fit``, but not after an error."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """React to the end of training."""


class EpochBegin(EventHandler):
    """Handler called before each pass over the data, of training or of ``evaluate``."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """React to the start of a pass."""


class EpochEnd(EventHandler):
    """Handler called after each pass over the data, of training or of ``evaluate``."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """React to the end of a pass; return True to stop training."""
        return False


class BatchBegin(EventHandler):
    """Handler called before each batch, with the argument ``batch``."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """React to the start of a batch."""


class BatchEnd(EventHandler):
    """Handler called after each batch.

    Its keyword arguments are ``batch``, and lists of arrays by context: ``pred``, ``label`` and
    ``loss``.
    """

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """React to the end of a batch; return True to stop the epoch."""
        return False


_KINDS: dict[str, type[EventHandler]] = {
    "train_begin": TrainBegin,
    "train_end": TrainEnd,
    "epoch_begin": EpochBegin,
    "epoch_end": EpochEnd,
    "batch_begin": BatchBegin,
    "batch_end": BatchEnd,
}


def by_event(handlers: Iterable[EventHandler]) -> tuple[list[EventHandler], ...]:
    """Return a list of handlers for each event; for end events in reverse nesting order.

    Example:
        >>> [len(found) for found in by_event([EpochBegin(), BatchEnd(), TrainEnd()])]
        [0, 1, 0, 1, 0, 1]
    """
    handler_list = list(handlers)
    order = TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd
    return tuple([one for one in handler_list if isinstance(one, kind)] for kind in order)


class Handlers:
    """Event handlers sorted by priority.

    Args:
        handlers: The handlers.

    Raises:
        EstimatorError: An element is not a handler.

    Example:
        >>> class Greeter(TrainBegin):
        ...     def __init__(self, name, priority):
        ...         self.name, self.priority = name, priority
        ...     def train_begin(self, estimator):
        ...         print("hello from", self.name)
        >>> Handlers([Greeter("b", 1), Greeter("a", -1)]).call("train_begin", None)
        hello from a
        hello from b
        False
    """

    def __init__(self, handlers: Iterable[EventHandler]) -> None:
        handler_list = list(handlers)
        for handler in handler_list:
            if not isinstance(handler, EventHandler):
                raise EstimatorError(
                    "event_handlers must hold objects of classes that inherit from EventHandler, "
                    f"not {handler!r}"
                )
        self._sorted = sorted(handler_list, key=lambda handler: handler.priority)

    def call(self, event: str, estimator: Any, **kwargs: Any) -> bool:
        """Call all handlers of an event; return True if one of them requests a stop."""
        kind = _KINDS[event]
        results = [
            getattr(handler, event)(estimator, **kwargs)
            for handler in self._sorted
            if isinstance(handler, kind)
        ]
        return any(results)
