"""The moments of training at which an estimator calls its handlers, and in which order."""

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
    """Base of all handlers.

    A handler inherits from the moments it wants to be called at. Handlers are called in the order
    of their attribute ``priority``, the lowest first; without one it is 0. Among equals those given
    to ``fit`` come first, in their order. The estimator's own are at -2000 (update of the
    parameters), -1000 (metrics, validation), 0 (stopping) and infinity (logging).

    Example:
        >>> class Printer(EpochEnd):
        ...     def epoch_end(self, estimator, *args, **kwargs):
        ...         print(estimator.current_epoch)
        >>> isinstance(Printer(), EventHandler)
        True
    """

    priority: float = 0


class TrainBegin(EventHandler):
    """Is called before the first epoch of ``fit``."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Training begins."""


class TrainEnd(EventHandler):
    """Is called after the last epoch of ``fit``; not if an error ended it."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Training has ended."""


class EpochBegin(EventHandler):
    """Is called before each pass over the data, of training or of ``evaluate``."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """A pass begins."""


class EpochEnd(EventHandler):
    """Is called after each pass over the data, of training or of ``evaluate``."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """A pass has ended; return True to end training."""
        return False


class BatchBegin(EventHandler):
    """Is called before each batch; ``batch`` is as the data gave it."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """A batch begins."""


class BatchEnd(EventHandler):
    """Is called after each batch.

    With ``batch``, as the data gave it, and three lists with an array for each context: ``pred``,
    ``label`` and ``loss``.
    """

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """A batch has ended; return True to end this epoch of training."""
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
    """Handlers of the begin of training, epochs and batches, and of the ends, innermost first.

    Example:
        >>> [len(found) for found in by_event([EpochBegin(), BatchEnd(), TrainEnd()])]
        [0, 1, 0, 1, 0, 1]
    """
    handler_list = list(handlers)
    order = TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd
    return tuple([one for one in handler_list if isinstance(one, kind)] for kind in order)


class Handlers:
    """Handlers in the order of their priority.

    Args:
        handlers: Any number.

    Raises:
        EstimatorError: There is something else among them.

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
        """Let all handlers of an event know; True if one of them wants to stop."""
        kind = _KINDS[event]
        answers = [
            getattr(handler, event)(estimator, **kwargs)
            for handler in self._sorted
            if isinstance(handler, kind)
        ]
        return any(answers)
