"""A few numbers of each array that a program computes: enough to compare, small enough to keep."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["Fingerprint", "arrays", "difference", "fingerprint"]

Fingerprint = dict[str, Any]
SAMPLES = 5


def arrays(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays of nested sequences and mappings, in order; those of hy and MXNet as numpy's."""
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from arrays(value[key])
    elif isinstance(value, list | tuple):
        for part in value:
            yield from arrays(part)
    elif value is not None:
        yield np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)


def fingerprint(array: np.ndarray[Any, Any]) -> Fingerprint:
    """Shape, dtype, mean, largest magnitude and samples of one array."""
    if array.dtype.kind in "USO":
        return {"text": [str(item) for item in array.ravel()]}
    values = array.astype(np.float64).ravel()
    places = np.linspace(0, values.size - 1, SAMPLES if values.size else 0).astype(int)
    numbers = [values.mean() if values.size else 0.0, *values[places]]
    return {
        "shape": list(array.shape),
        "dtype": array.dtype.name,
        "size": rounded(np.abs(values).max(initial=0)),
        "numbers": [rounded(number) for number in numbers],
    }


def rounded(number: float) -> float:
    """To the eight digits that a float32 has."""
    return float(f"{number:.8g}")


def difference(got: Fingerprint, wanted: Fingerprint) -> float:
    """The largest difference relative to the array's largest magnitude; infinite if not alike."""
    if "text" in wanted or "text" in got:
        return 0.0 if got == wanted else np.inf
    # Older records know no dtype.
    if any(got[key] != wanted.get(key, got[key]) for key in ("shape", "dtype")):
        return np.inf
    a, b = np.array([[one["size"], *one["numbers"]] for one in (got, wanted)])
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return np.inf
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return np.inf
    scale = max(b[0], np.finfo(np.float32).tiny) if np.isfinite(b[0]) else 1.0
    return float(np.abs(a[finite] - b[finite]).max(initial=0) / scale)
