"""Monitor: statistics of arrays in a bound graph, every few batches."""

import logging
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from hy_ndarray import ArgumentError, NDArray, nd, nd as ndarray
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = ["Monitor", "NDArray", "ndarray"]

# Lines go to the root logger, like MXNet's: programs set up that one, or rely on its first call.
_info = logging.info

_Statistic = Callable[[NDArray], NDArray | list[NDArray]]


class _Monitored(Protocol):
    """Interface of objects on which a monitor is installed, such as :class:`hy_symbol.Executor`."""

    @property
    def arg_dict(self) -> Mapping[str, NDArray]: ...

    @property
    def aux_dict(self) -> Mapping[str, NDArray]: ...

    def set_monitor_callback(
        self, callback: Callable[[str, NDArray], None], monitor_all: bool = False
    ) -> None: ...


class Monitor:
    r"""Monitor of a statistic of outputs, arguments and states of executors.

    Args:
        interval: Number of batches per collection.
        stat_func: Function from an array to an array or a list of arrays; the norm divided by the
            square root of the size if None.
        pattern: Regular expression that names must match from the beginning.
        sort: Whether to sort statistics by name.
        monitor_all: Whether to include the inputs of operators.

    Example:
        >>> import mxnet as mx
        >>> net = mx.sym.exp(mx.sym.var("x"), name="e")
        >>> executor = net.bind(mx.cpu(), {"x": mx.nd.zeros((2,))})
        >>> monitor = Monitor(1, stat_func=lambda x: x.max())
        >>> monitor.install(executor)
        >>> monitor.tic()
        >>> outputs = executor.forward()
        >>> monitor.toc()
        [(1, 'e_output', '1.0\t'), (1, 'x', '0.0\t')]
    """

    def __init__(
        self,
        interval: int,
        stat_func: _Statistic | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.interval = interval
        self.stat_func: _Statistic = _root_mean_square if stat_func is None else stat_func
        self.re_prog = re.compile(pattern)
        self.sort = sort
        self.monitor_all = monitor_all
        self.step = 0
        """How many batches began."""
        self.activated = False
        """Whether this batch is one of those to collect from."""
        self.queue: list[tuple[int, str, Any]] = []
        """What was collected since :meth:`tic`: batch, name, statistic."""
        self.exes: list[_Monitored] = []
        """What it is installed on."""

    def stat_helper(self, name: str, array: NDArray) -> None:
        """Collect the statistic of an array, if the batch and the name are selected."""
        if self.activated and self.re_prog.match(name):
            # Not read yet: the statistic is an array that a GPU may still compute.
            self.queue.append((self.step, name, self.stat_func(array)))

    def install(self, exe: _Monitored) -> None:
        """Install the monitor on an executor, in addition to others.

        Raises:
            ArgumentError: ``exe`` does not support monitors.
        """
        if not hasattr(exe, "set_monitor_callback"):
            raise ArgumentError(
                f"Monitor.install: a {type(exe).__name__} cannot be watched; give an Executor, "
                "as bind and simple_bind return it"
            )
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Begin a batch, before ``forward``."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """End a batch, and return its statistics.

        Returns:
            Tuples of batch number, name, and statistic as text; empty if the batch is not selected.

        Raises:
            ArgumentError: ``stat_func`` returned a value other than arrays.
        """
        if not self.activated:
            return []
        # Outputs were collected while the batch ran; arguments are read at its end.
        for exe in self.exes:
            for name, array in (*exe.arg_dict.items(), *exe.aux_dict.items()):
                self.stat_helper(name, array)
        self.activated = False
        rows, self.queue = self.queue, []
        if self.sort:
            rows.sort(key=lambda item: item[1])
        return [(step, name, _statistic_text(name, statistic)) for step, name, statistic in rows]

    def toc_print(self) -> None:
        """End a batch, and log its statistics."""
        for step, name, text in self.toc():
            _info("Batch: %7d %-30s %s", step, name, text)


def _root_mean_square(array: NDArray) -> NDArray:
    return nd.norm(array) / math.sqrt(array.size)


def _statistic_text(name: str, statistic: Any) -> str:
    """Return the arrays of a statistic as text, each followed by a tab."""
    arrays = statistic if isinstance(statistic, list) else [statistic]
    if not all(isinstance(array, NDArray) for array in arrays):
        raise ArgumentError(
            f"Monitor: stat_func returned {statistic!r} for '{name}'; it has to return an NDArray, "
            "or a list of them"
        )
    return "".join(
        str(array.asscalar() if array.shape in ((), (1,)) else array.asnumpy()) + "\t"
        for array in arrays
    )


_suggest_members(globals())
