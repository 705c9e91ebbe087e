"""Text form of arrays, as MXNet prints them, and their HTML form in notebooks."""

from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray._dtypes import dtype_name
from hy_ndarray.core._array import Array

_SHOWN = 5
"""Number of rows and columns shown at each end of a long table."""
_TABLE_AXES = (1, 2)


def show(array: Array) -> str:
    """Return ``repr(array)``, formatted by numpy's print options."""
    shape = "x".join(map(str, array.shape))
    return f"\n{array.asnumpy()!s}\n<{type(array).__name__} {shape} @{array.context}>"


def html(array: Array) -> str:
    """Return HTML: a table for 1 or 2 axes, abbreviated if long; else numpy's text."""
    values = array.asnumpy()
    shape = "x".join(map(str, array.shape)) or "one number"
    dtype = dtype_name(array.dtype)
    kind = f"{type(array).__name__} {shape}, {dtype}, {array.context}"
    if values.ndim not in _TABLE_AXES or not values.size:
        return f"<pre>{escape(str(values))}</pre><small>{escape(kind)}</small>"
    rows = values.reshape(-1, values.shape[-1])
    body = "".join(f"<tr>{_cells(rows, row)}</tr>" for row in _shown_indices(len(rows)))
    return f"<table>{body}</table><small>{escape(kind)}</small>"


def _shown_indices(length: int) -> list[int | None]:
    """Return the indices to show along an axis of ``length``; None marks the omitted ones."""
    if length <= 2 * _SHOWN + 1:
        return [*range(length)]
    return [*range(_SHOWN), None, *range(length - _SHOWN, length)]


def _cells(rows: npt.NDArray[Any], row: int | None) -> str:
    columns = _shown_indices(rows.shape[1])
    texts = ["⋯" if row is None or i is None else _number_text(rows[row, i]) for i in columns]
    return "".join(f"<td>{text}</td>" for text in texts)


def _number_text(value: Any) -> str:
    return str(value) if isinstance(value, np.integer | np.bool_) else f"{float(value):.4g}"
