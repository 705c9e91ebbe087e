"""Checks of indices that kernels clip or ignore as MXNet does, on request.

A table that checks is a table like others, which hands on all that it is asked for; a device of it
wraps the kernels of operators whose records say which of their inputs hold indices. So whatever
runs kernels is checked, on every table, and where nobody asks nothing is different.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import ArgumentError, IndexingError
from hy_ndarray.devices._protocols import Buffer, Kernel, KernelFunction, KernelTable, Params
from hy_ndarray.devices._user_line import user_line
from hy_ndarray.devices._wrapping import wrapped

__all__ = [
    "CheckedTable",
    "IndexedInput",
    "IndexedOperator",
    "check_indices_of",
    "declare_indices",
    "with_checked_indices",
    "with_checks",
    "with_requested_checks",
    "without_checks",
]

Values: TypeAlias = npt.NDArray[Any]
_WORDS = ("indices",)


class IndexedInput(Protocol):
    """Input that holds indices, as an operator's record describes it."""

    @property
    def input(self) -> str:
        """Name of the input."""

    @property
    def of(self) -> str:
        """Operator that messages name, if it is another one."""

    @property
    def count(self) -> Callable[[Mapping[str, tuple[int, ...]], Params], int | None]:
        """Return the number of valid indices from 0 on; None: in this call it holds none."""

    @property
    def ignored(
        self,
    ) -> Callable[[Values, Callable[[str], Values | None], Params], Values | None] | None:
        """Return the indices that the call ignores, by parameters or other inputs."""


class IndexedOperator(NamedTuple):
    """Operator that has inputs of indices."""

    name: str
    inputs: tuple[str, ...]
    indices: Sequence[IndexedInput]


_declared: dict[str, IndexedOperator] = {}
"""By name of kernel."""


def declare_indices(kernels: Mapping[str, IndexedOperator]) -> None:
    """Register the kernels that have inputs of indices."""
    _declared.update(kernels)


def with_requested_checks(table: KernelTable) -> KernelTable:
    """Return the table, with checks if ``HY_CHECK`` contains the word ``indices``.

    Raises:
        ArgumentError: Another word is.
    """
    words = [*filter(None, map(str.strip, os.environ.get("HY_CHECK", "").split(",")))]
    for word in words:
        if word not in _WORDS:
            raise ArgumentError(f"HY_CHECK: {word!r} is not one of {', '.join(_WORDS)}")
    return with_checked_indices(table) if "indices" in words else table


class CheckedTable:
    """Kernel table whose devices check indices.

    It cannot capture, as the host looks at every index.

    Args:
        unchecked: The table that computes.
    """

    def __init__(self, unchecked: KernelTable) -> None:
        self.unchecked = unchecked

    def __getattr__(self, name: str) -> Any:
        if name == "capture":
            raise AttributeError(name)
        value = getattr(self.unchecked, name)
        return _Whole(value) if name == "limits" else value


class _Whole:
    """Limits that never split a batch, so that positions in messages hold for the whole."""

    def __init__(self, limits: Any) -> None:
        self._limits = limits
        self.split_bytes = np.iinfo(np.int64).max

    def __getattr__(self, name: str) -> Any:
        return getattr(self._limits, name)


_checking: WeakValueDictionary[int, CheckedTable] = WeakValueDictionary()
"""By table; each lives as long as somebody uses it, and its programs are met again."""


def with_checked_indices(table: KernelTable) -> Any:
    """Return the table with checks of indices."""
    if isinstance(table, CheckedTable):
        return table
    return _checking.setdefault(id(table), CheckedTable(table))


def without_checks(table: KernelTable) -> KernelTable:
    """Return the table inside of one with checks."""
    return table.unchecked if isinstance(table, CheckedTable) else table


def with_checks(record: Kernel, to_numpy: Callable[[Buffer], Values]) -> Kernel:
    """Return the kernel with checks of its indices; unchanged if it has none."""
    if record.name not in _declared:
        return record

    def looking(function: KernelFunction, fixed: Params) -> KernelFunction:
        def run(*buffers: Any, **params: Any) -> Any:
            check_indices_of(record.name, buffers, {**fixed, **params}, to_numpy)
            return function(*buffers, **params)

        return run

    return wrapped(record, looking)


def check_indices_of(
    kernel: str, buffers: Sequence[Any], params: Params, to_numpy: Callable[[Any], Values]
) -> None:
    """Raise :class:`IndexingError` if an index is out of range.

    Args:
        kernel: The name of a kernel that computes, or of that for dense operands.
        buffers: The operands, or arrays; None where there is none.
        params: Parameters of the call.
        to_numpy: Gives the content of an operand.
    """
    operator = _declared.get(kernel)
    if operator is None:
        return
    named = dict(zip(operator.inputs, buffers, strict=False))
    shapes = {name: tuple(x.shape) for name, x in named.items() if x is not None}

    def values_of(name: str) -> Values | None:
        buffer = named.get(name)
        return None if buffer is None else to_numpy(buffer)

    for indexed in operator.indices:
        values = values_of(indexed.input)
        if values is None:
            continue
        count = indexed.count(shapes, params)
        if count is None:
            continue
        numbers = values.astype(np.float64) if values.dtype.kind not in "iub" else values
        with np.errstate(invalid="ignore"):
            wrong = ~((np.trunc(numbers) >= 0) & (numbers < count))  # nan is none of them
        if indexed.ignored is not None:
            ignored = indexed.ignored(values, values_of, params)
            wrong = wrong if ignored is None else wrong & ~ignored
        if wrong.any():
            name = indexed.of or operator.name
            raise _error(name, indexed.input, numbers, wrong, count)


def _error(operator: str, name: str, numbers: Values, wrong: Values, count: int) -> IndexingError:
    """Return the error for the first invalid index."""
    position = tuple(int(i) for i in np.argwhere(wrong)[0])
    value = numbers[position]
    known = f"0 … {count - 1}" if count else "an empty axis"
    others = int(wrong.sum()) - 1
    more = f", and {others} more are not" if others else ""
    error = IndexingError(
        f"{operator}: index {value:g} at position {position} of {name} {numbers.shape} is not in "
        f"{known}{more}; unless checked (HY_CHECK=indices) it is clipped or has no effect"
    )
    line = user_line()
    if line is not None:
        error.add_note(f"called at {line}")
    return error
