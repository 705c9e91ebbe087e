"""What a call gave, as plain data, and whether two outcomes are one behaviour."""

import warnings
import zlib
from typing import Any, TypeAlias

import numpy as onp

__all__ = ["Outcome", "agrees", "classes_of", "outcome", "value_of"]

Outcome: TypeAlias = dict[str, Any]
"""``{"e": names of classes}``, ``{"v": value}``, or ``{"ends": how the process ended}``."""

_SHOWN = 5
_SAMPLED = 500
"""From how many elements on moments of random numbers are compared."""
_TOO_LONG = 80
_EVERY = {"object", "BaseException", "Exception", "ArgumentError"}
"""Classes that tell nothing: ``ctypes.ArgumentError`` is of a C library's calls."""
_TOLERANCES = {"float16": 2e-2, "float32": 2e-4, "float64": 2e-5}


def classes_of(error: BaseException) -> list[str]:
    """Names of the classes by which an ``except`` clause may catch it."""
    names = (cls.__name__ for cls in type(error).__mro__)
    renamed = ("MXNetError" if name == "HyError" else name for name in names)
    return sorted({n for n in renamed if n not in _EVERY and not n.startswith("_")})


def _weights(size: int) -> Any:
    """Numbers in [1, 2) in which no order shows."""
    return 1 + (onp.arange(1, size + 1) * 0.6180339887498949) % 1


def _digits(number: float) -> float:
    return float(f"{number:.6g}")


def _numbers(array: Any) -> Any:
    """A few elements and a sum by which all others are compared."""
    flat = onp.asarray(array).reshape(-1)
    if flat.dtype.kind not in "fc":
        try:
            wide = flat.astype("int64")
        except (TypeError, ValueError):
            return None
        return {"crc": zlib.crc32(wide.tobytes()), "some": wide[:_SHOWN].tolist()}
    flat = flat.astype("complex128").view("float64") if flat.dtype.kind == "c" else flat
    flat = flat.astype("float64")
    finite = onp.isfinite(flat)
    plain = onp.where(finite, flat, 0)
    where = sorted({0, *range(0, flat.size, max(1, flat.size // _SHOWN)), flat.size - 1})
    found: dict[str, Any] = {
        "some": [_digits(flat[i]) for i in where] if flat.size else [],
        "sum": _digits(float(plain @ _weights(flat.size))),
        "size": _digits(float(abs(plain).sum())),
    }
    if not finite.all():
        found["odd"] = [
            onp.flatnonzero(m).tolist()[:20] for m in (onp.isnan(flat), onp.isinf(flat))
        ]
    if flat.size >= _SAMPLED:
        found["moments"] = [_digits(flat.mean()), _digits(flat.std())]
    return found


def _array(name: str, array: Any) -> Any:
    return ["array", name, str(array.dtype), list(array.shape), _numbers(array)]


def value_of(value: Any) -> Any:  # noqa: PLR0911 - one kind a line
    """A value as plain data; arrays by their type, dtype, shape and a digest of the elements."""
    name = type(value).__name__
    if value is None or isinstance(value, bool | int | str):
        shown = value if not isinstance(value, str) or len(value) < _TOO_LONG else "..."
        return ["is", name, shown]
    if isinstance(value, float) and not isinstance(value, onp.generic):
        return ["number", name, _digits(value)]
    if isinstance(value, onp.ndarray | onp.generic):
        kind = name if isinstance(value, onp.ndarray) else "scalar"
        return _array(f"numpy.{kind}", onp.asarray(value))
    if isinstance(value, onp.dtype):
        return ["is", "dtype", str(value)]
    if isinstance(value, list | tuple):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return ["many", kind, len(value), [value_of(part) for part in value[:8]]]
    if isinstance(value, dict):
        return ["map", {str(key): value_of(value[key]) for key in sorted(value, key=str)[:20]}]
    if callable(getattr(value, "list_arguments", None)):
        return ["graph", name, value.list_arguments(), value.list_outputs()]
    if callable(getattr(value, "asnumpy", None)):
        # the numbers first: an array's shape may be unknown until its operator has run
        numbers = value.asnumpy()
        kept = getattr(value, "stype", "default")
        return _array(name if kept == "default" else f"{name} {kept}", numbers)
    return ["object", name]


def outcome(call: Any) -> Outcome:
    """What a function without arguments gives or raises."""
    try:
        with warnings.catch_warnings(), onp.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return {"v": value_of(call())}
    except Exception as error:
        return {"e": classes_of(error), "says": str(error).strip()[:160]}


def _same_moments(want: Any, have: Any) -> bool:
    (mean, spread), (other_mean, other_spread) = want["moments"], have["moments"]
    distance = abs(mean - other_mean)
    return bool(
        distance <= 0.25 * spread + 1e-6 and abs(spread - other_spread) <= 0.3 * spread + 1e-6
    )


def _same_numbers(want: Any, have: Any, dtype: str) -> bool:
    if want is None or have is None:
        return want is have
    if "crc" in want:
        return bool(want == have)
    tolerance = _TOLERANCES.get(dtype, 2e-4)
    count = max(len(want["some"]), 1)
    shown = len(want["some"]) == len(have["some"]) and onp.allclose(
        want["some"], have["some"], rtol=tolerance, atol=tolerance, equal_nan=True
    )
    scale = max(want["size"], have["size"], count * 1e-2)
    return bool(
        shown
        and want.get("odd") == have.get("odd")
        and abs(want["sum"] - have["sum"]) <= tolerance * scale
    )


def _same_array(want: Any, have: Any, how: str) -> bool:
    if want[1:4] != have[1:4]:
        return False
    if how == "undefined" or want[4] is None:
        return True
    if how == "random":
        sampled = have[4] is not None and "moments" in have[4] and "moments" in want[4]
        return not sampled or _same_moments(want[4], have[4])
    return _same_numbers(want[4], have[4], want[2])


def _same_value(want: Any, have: Any, how: str) -> bool:  # noqa: PLR0911 - one kind a line
    if have[0] == "number" and want[:3] == ["array", "numpy.scalar", "float64"]:
        want = ["number", "float", want[4]["some"][0]]  # NumPy's float64 is a float, too
    kind = want[0]
    if kind != have[0]:
        return False
    if kind == "array":
        return _same_array(want, have, how)
    if kind in ("is", "number") and how in ("random", "undefined"):
        return bool(want[1] == have[1])
    if kind == "number":
        near = onp.isclose(want[2], have[2], rtol=2e-4, atol=2e-4, equal_nan=True)
        return bool(want[1] == have[1] and near)
    if kind == "many":
        parts = zip(want[3], have[3], strict=False)
        return want[1:3] == have[1:3] and all(_same_value(w, h, how) for w, h in parts)
    if kind != "map":
        return bool(want == have)
    return want[1].keys() == have[1].keys() and all(
        _same_value(w, have[1][key], how) for key, w in want[1].items()
    )


def agrees(want: Outcome, have: Outcome) -> bool:
    """Whether ``have`` is what a program that relies on ``want`` expects.

    Of errors: each ``except`` clause that catches the one catches the other. Where MXNet ended the
    process there is nothing to compare; where it gave what memory held, types are compared.
    """
    if "ends" in want:
        return True
    if "e" in want:
        return "e" in have and set(want["e"]) <= set(have["e"])
    return "v" in have and _same_value(want["v"], have["v"], want.get("how", ""))
