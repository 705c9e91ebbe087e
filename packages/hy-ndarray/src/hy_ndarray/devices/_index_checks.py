"""Optional checks of indices that kernels otherwise clip or ignore, as MXNet does.

A table with checks delegates to another table; its devices wrap the kernels of operators whose
records declare inputs that hold indices. So eager calls and programs are checked on every table,
and there is no cost while checks are off.
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

Values: TypeAlias = npt.NDArray[Any]
_WORDS = ("indices",)


class IndexedInput(Protocol):
    """Operator input that holds indices, as the operator's record describes it."""

    @property
    def input(self) -> str:
        """Name of the input."""

    @property
    def of(self) -> str:
        """Name of the operator in messages, if it differs; else empty."""

    @property
    def count(self) -> Callable[[Mapping[str, tuple[int, ...]], Params], int | None]:
        """Function to the number of valid indices; None if this call has no indices there."""

    @property
    def ignored(
        self,
    ) -> Callable[[Values, Callable[[str], Values | None], Params], Values | None] | None:
        """Function to a mask of the indices that the call ignores, if it may ignore some."""


class IndexedOperator(NamedTuple):
    """Kernel name's operator, its input names, and the inputs that hold indices."""

    name: str
    inputs: tuple[str, ...]
    indices: Sequence[IndexedInput]


_declared: dict[str, IndexedOperator] = {}
"""Operators with index inputs, by kernel name."""


def declare_indices(kernels: Mapping[str, IndexedOperator]) -> None:
    """Register the operators that have index inputs, by kernel name."""
    _declared.update(kernels)


def with_requested_checks(table: KernelTable) -> KernelTable:
    """Return the table, with index checks if ``HY_CHECK`` contains ``indices``.

    Raises:
        ArgumentError: ``HY_CHECK`` contains another word.
    """
    words = [*filter(None, map(str.strip, os.environ.get("HY_CHECK", "").split(",")))]
    for word in words:
        if word not in _WORDS:
            raise ArgumentError(f"HY_CHECK: {word!r} is not one of {', '.join(_WORDS)}")
    return with_checked_indices(table) if "indices" in words else table


class CheckedTable:
    """Kernel table whose devices check indices, which otherwise delegates to another table.

    It does not support capture, as the host reads every index.

    Args:
        unchecked: The table that it delegates to.
    """

    def __init__(self, unchecked: KernelTable) -> None:
        self.unchecked = unchecked

    def __getattr__(self, name: str) -> Any:
        # Without it hasattr() is false, and devices do not capture: a replay reads no indices.
        if name == "capture":
            raise AttributeError(name)
        value = getattr(self.unchecked, name)
        return _Whole(value) if name == "limits" else value


class _Whole:
    """Limits that never split a batch, so that positions in messages refer to the whole batch."""

    def __init__(self, limits: Any) -> None:
        self._limits = limits
        self.split_bytes = np.iinfo(np.int64).max

    def __getattr__(self, name: str) -> Any:
        return getattr(self._limits, name)


_checking: WeakValueDictionary[int, CheckedTable] = WeakValueDictionary()
"""Checking tables by the id of the unchecked one: while one is in use, the same object is returned,
so that programs compiled for it are found again."""


def with_checked_indices(table: KernelTable) -> Any:
    """Return a table that checks indices and otherwise delegates to ``table``."""
    if isinstance(table, CheckedTable):
        return table
    # By id, as tables need not be hashable. The value keeps its table alive, so that no other table
    # gets the id.
    return _checking.setdefault(id(table), CheckedTable(table))


def without_checks(table: KernelTable) -> KernelTable:
    """Return the unchecked table of a :class:`CheckedTable`; other tables unchanged."""
    return table.unchecked if isinstance(table, CheckedTable) else table


def with_checks(record: Kernel, to_numpy: Callable[[Buffer], Values]) -> Kernel:
    """Return the kernel with a check of its indices before each call; unchanged without indices."""
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
        kernel: The name of the kernel; for sparse operands, that of the dense one.
        buffers: The operands, buffers or arrays; None for omitted ones.
        params: Parameters of the call.
        to_numpy: Returns the content of an operand as a numpy array.
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
        # Floating indices, also float16 and bfloat16, are compared in float64.
        numbers = values.astype(np.float64) if values.dtype.kind not in "iub" else values
        # Kernels truncate: -0.5 is index 0.
        with np.errstate(invalid="ignore"):
            wrong = ~((np.trunc(numbers) >= 0) & (numbers < count))  # nan counts as wrong
        if indexed.ignored is not None:
            ignored = indexed.ignored(values, values_of, params)
            wrong = wrong if ignored is None else wrong & ~ignored
        if wrong.any():
            name = indexed.of or operator.name
            raise _error(name, indexed.input, numbers, wrong, count)


def _error(operator: str, name: str, numbers: Values, wrong: Values, count: int) -> IndexingError:
    """Return the error that reports the first invalid index of input ``name``."""
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
