"""Param: a parameter of an operator, with a parser that follows from its type annotation."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Literal, NewType, TypeAlias, Union, get_args, get_origin

import numpy as np

from hy_ndarray import limits
from hy_ndarray._dtypes import DTYPES, dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.ops.record.ranges import Range
from hy_ndarray.suggestion import hint

__all__ = [
    "NOT_GIVEN",
    "REQUIRED",
    "Count",
    "Ctx",
    "DType",
    "Dims",
    "Floats",
    "NotGiven",
    "Pairs",
    "Param",
    "Shape",
    "param_of",
]

Shape: TypeAlias = tuple[int, ...]
Dims: TypeAlias = tuple[int | None, ...]
Floats: TypeAlias = tuple[float, ...]
Pairs: TypeAlias = tuple[tuple[int, int], ...]
Count: TypeAlias = Annotated[int, "count"]
"""Number of inputs or outputs of a call: at most :data:`hy_ndarray.limits.most`."""
DType = NewType("DType", str)
"""Dtype name; calls may pass a name, a numpy type or a Python type."""
Ctx = NewType("Ctx", str)
"""Context of the array that an operator creates; used by dispatch, not passed to kernels."""

REQUIRED: Final = object()
"""Marker of a parameter without a default."""

Parse: TypeAlias = Callable[[Any], Any]
# Limits the length of texts from untrusted files; real parameters are far shorter.
_MAX_CHARACTERS = 100_000
_INT64 = 1 << 63
_TRUE = frozenset(("true", "1"))
_FALSE = frozenset(("false", "0"))
_ENDS_OF_NUMBERS = frozenset("0123456789.")


class NotGiven:
    """Placeholder of an omitted argument; MXNet's ``_Null``, which programs may pass on."""

    def __repr__(self) -> str:
        return "_Null"


NOT_GIVEN = NotGiven()


def _parse_bool(value: Any) -> bool:
    if isinstance(value, str):
        lowered = value.lower()
        if lowered in _TRUE:
            return True
        if lowered in _FALSE:
            return False
        raise ValueError("a boolean")
    if isinstance(value, bool | np.bool_):
        return bool(value)
    number = operator.index(value)
    if number not in (0, 1):
        raise ValueError("a boolean")
    return number == 1


def _parse_int(value: Any) -> int:
    # MXNet parses arguments from text, and "True" is not an integer.
    if isinstance(value, bool):
        raise TypeError("an integer")
    number = int(value) if isinstance(value, str) else operator.index(value)
    if not -_INT64 <= number < _INT64:  # kernels take a C integer of 64 bits
        raise ValueError(number)
    return number


def _parse_count(value: Any) -> int:
    count = _parse_int(value)
    if count > limits.most:
        raise ValueError(count)
    return count


def _parse_float(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError("a number")
    return _float_text(value)


def _float_text(value: Any) -> float:
    # Programs and files for MXNet may write numbers as C does, such as 0.5f.
    if isinstance(value, str) and value[-1:] in ("f", "F") and value[-2:-1] in _ENDS_OF_NUMBERS:
        value = value[:-1]
    return float(value)


def _parse_str(value: Any) -> str:
    return str(value)


def _items(text: str) -> list[str]:
    if len(text) > _MAX_CHARACTERS:
        raise ValueError("a shorter text")
    inner = text.strip()
    if inner[:1] in "([" and inner[-1:] in ")]":
        inner = inner[1:-1]
    return [item for item in re.split(r"\s*,\s*", inner.strip()) if item]


def _parse_shape(value: Any) -> Shape:
    # The common case first: trying a number first would raise, which is slow.
    if isinstance(value, tuple | list):
        return tuple(map(_int_text, value))
    if value is None or (
        isinstance(value, str) and value == "None"
    ):  # MXNet reads None as an omitted tuple.
        return ()
    if isinstance(value, str):
        return tuple(map(_int_text, _items(value)))
    try:
        return (_int_text(value),)
    except TypeError:
        return tuple(map(_int_text, value))


def _int_text(value: Any) -> int:
    # Files of MXNet under Python 2 have integers such as 2L.
    return _parse_int(value.rstrip("L") if isinstance(value, str) else value)


def _optional_int(value: Any) -> int | None:
    if value is None or value == "None":
        return None
    return _int_text(value)


def _parse_floats(value: Any) -> tuple[float, ...]:
    if isinstance(value, str):
        return tuple(map(_float_text, _items(value)))
    return tuple(map(float, value)) if hasattr(value, "__len__") else (float(value),)


def _parse_dims(value: Any) -> tuple[int | None, ...]:
    if value is None or (isinstance(value, str) and value == "None"):  # As for shapes.
        return ()
    if isinstance(value, str):
        return tuple(map(_optional_int, _items(value)))
    if isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return tuple(map(_optional_int, value))
    return (_optional_int(value),)


def _parse_pairs(value: Any) -> tuple[tuple[int, int], ...]:
    if isinstance(value, str):
        flat = [_int_text(text) for text in _items(value.replace("(", " ").replace(")", " "))]
    else:
        flat = [_int_text(x) for pair in value for x in pair]
    if len(flat) % 2:
        raise ValueError(value)
    return tuple(zip(flat[::2], flat[1::2], strict=True))


_PARSERS: dict[Any, tuple[Parse, str]] = {
    bool: (_parse_bool, "a boolean"),
    int: (_parse_int, "an integer"),
    Count: (
        _parse_count,
        "an integer up to hy_ndarray.limits.most, which can be set higher",
    ),
    float: (_parse_float, "a number"),
    str: (_parse_str, "a string"),
    Shape: (_parse_shape, "a tuple of integers"),
    Dims: (_parse_dims, "a tuple of integers or None"),
    Floats: (_parse_floats, "a tuple of numbers"),
    Pairs: (_parse_pairs, "a tuple of pairs of integers"),
    DType: (dtype_name, "a dtype"),
    Ctx: (_parse_str, "a context such as 'cpu(0)'"),
}


def _choice(options: tuple[str, ...]) -> tuple[Parse, str]:
    are_dtypes = all(option in DTYPES for option in options)

    def parse(value: Any) -> str:
        # A flag in the place of a dtype is refused, as in MXNet; NumPy would read it as one.
        name = dtype_name(value) if are_dtypes and not isinstance(value, bool) else value
        if name not in options:
            raise ValueError(value)
        return str(name)

    return parse, "one of " + ", ".join(map(repr, options))


def _optional(parse: Parse, expected: str) -> tuple[Parse, str]:
    def parse_or_none(value: Any) -> Any:
        nothing = value is None or (isinstance(value, str) and value == "None")
        return None if nothing else parse(value)

    return parse_or_none, f"{expected} or None"


def _in_range(parse: Parse, expected: str, numbers: Range) -> tuple[Parse, str]:
    def parse_in_range(value: Any) -> Any:
        parsed = parse(value)
        if not numbers.contains(parsed):
            raise ValueError(value)
        return parsed

    return parse_in_range, f"{expected} {numbers}"


def _options(annotation: Any) -> tuple[str, ...]:
    """Return the allowed values of an enumeration type; empty for other types."""
    if annotation in (DType, DType | None):
        return tuple(DTYPES)
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(option for part in get_args(annotation) for option in _options(part))


@cache
def _parse_and_kind(annotation: Any) -> tuple[Parse, str]:
    if annotation in _PARSERS:
        return _PARSERS[annotation]
    if get_origin(annotation) is Literal:
        return _choice(get_args(annotation))
    if get_origin(annotation) is Annotated:
        return _in_range(*_parse_and_kind(get_args(annotation)[0]), annotation.__metadata__[0])
    if get_origin(annotation) in (Union, UnionType):
        (inner,) = (arg for arg in get_args(annotation) if arg is not type(None))
        return _optional(*_parse_and_kind(inner))
    raise AssertionError(f"no parameter kind for annotation {annotation!r}")


def _is_run_time(value: Any) -> bool:
    """Return whether a value is a :class:`RunTimeNumber`, or a tuple that contains one."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(getattr(type(part), "is_run_time", False) for part in parts)


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of an operator, with its parser."""

    name: str
    annotation: Any
    default: Any
    parse_value: Parse
    expected: str
    range: Range | None = None
    """Range of valid numbers; None: all numbers."""

    def parse(self, op: str, value: Any) -> Any:
        """Return ``value`` as a Python value; a :class:`RunTimeNumber` is returned unchanged.

        Raises:
            ArgumentError: ``value`` has the wrong type, or is outside of the range.
        """
        try:
            return self.parse_value(value)
        except (ValueError, TypeError, DTypeError) as error:
            if _is_run_time(value):
                return value
            shown = repr(value)
            shown = shown if len(shown) <= 80 else shown[:77] + "..."
            advice = hint(value, _options(self.annotation)) if isinstance(value, str) else ""
            raise ArgumentError(
                f"{op}: parameter {self.name}={shown} must be {self.expected}{advice}"
            ) from error

    def text(self, value: Any) -> str:
        """Return the text form of ``value``, as graphs and files store it."""
        if isinstance(value, str) or value is None:
            return str(value)
        if self.annotation in (DType, DType | None):
            return dtype_name(value)
        if isinstance(value, np.ndarray):
            value = tuple(value.ravel().tolist())
        if isinstance(value, tuple | list):
            plain = [x.item() if hasattr(x, "item") else x for x in value]
            return str(tuple(plain) if isinstance(value, tuple) else plain)
        return str(value)


def param_of(name: str, annotation: Any, default: Any) -> Param:
    """Return the parameter declared in an operator's signature."""
    parse, expected = _parse_and_kind(annotation)
    plain, ranged = _split_range(annotation)
    return Param(
        name=name,
        annotation=plain,
        default=default,
        parse_value=parse,
        expected=expected,
        range=ranged,
    )


@cache
def _split_range(annotation: Any) -> tuple[Any, Range | None]:
    """Split an annotation into the type without its range, and the range; ``| None`` is kept."""
    if get_origin(annotation) in (Union, UnionType):
        inner, ranged = _split_range(
            next(arg for arg in get_args(annotation) if arg is not type(None))
        )
        return (annotation, None) if ranged is None else (inner | None, ranged)
    if get_origin(annotation) is Annotated and isinstance(annotation.__metadata__[0], Range):
        return get_args(annotation)[0], annotation.__metadata__[0]
    return annotation, None
