"""Parsing of iterators' parameters: numbers, shapes, and their string forms."""

import ast
import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar, get_args, get_type_hints

from hy_ndarray import ArgumentError
from hy_ndarray.suggestion import hint
from hy_ndarray.warning import warn

__all__ = ["read_parameters"]

_Kind = TypeVar("_Kind")
_TRUE, _FALSE = {"true", "1"}, {"false", "0"}


def read_parameters(kind: type[_Kind], iterator: str, options: Mapping[str, Any]) -> _Kind:
    """Return the parameters of an iterator as a dataclass, converted to the fields' types.

    Args:
        kind: A dataclass whose fields are the parameters.
        iterator: Name of the iterator, for messages.
        options: Values by name, which may be strings such as ``"(3, 224, 224)"``.

    Raises:
        ArgumentError: A parameter without a default is missing, or a value has another type.
    """
    described: Any = kind
    fields = {field.name: field for field in dataclasses.fields(described)}
    types = get_type_hints(kind)
    # MXNet's iterators ignore unknown parameters silently, which hides typos.
    for name in sorted(set(options) - set(fields)):
        near = hint(name, fields)
        warn(f"{iterator}: {name} is no parameter and is ignored{near}")
    values = {
        name: _checked_value(iterator, name, types[name], options[name])
        for name in fields
        if name in options
    }
    missing = [
        name
        for name, field in fields.items()
        if name not in values
        and field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise ArgumentError(f"{iterator} needs {' and '.join(missing)}")
    return kind(**values)


def _checked_value(iterator: str, name: str, wanted: Any, value: Any) -> Any:
    options = get_args(wanted)
    is_optional = type(None) in options
    if is_optional:
        # MXNet's parameters were texts for C++: "None", "True", "(3, 224, 224)".
        if value is None or value == "None":
            return None
        (wanted,) = (option for option in options if option is not type(None))
    try:
        return _CONVERT[wanted](value)
    except (ValueError, TypeError, SyntaxError, KeyError):
        kind = _KIND_NAMES[wanted]
        raise ArgumentError(f"{iterator}: {name} must be {kind}, not {value!r}") from None


def _boolean(value: Any) -> bool:
    text = str(value).lower()
    if text not in _TRUE | _FALSE:
        raise ValueError(text)
    return text in _TRUE


def _integer(value: Any) -> int:
    # 2.0 is 2, 2.5 is refused.
    if isinstance(value, float) and value != int(value):
        raise ValueError(value)
    return int(value)


def _tuple_reader(convert: Any) -> Any:
    def read(value: Any) -> tuple[Any, ...]:
        if isinstance(value, str):
            value = ast.literal_eval(value)
        return tuple(map(convert, value)) if hasattr(value, "__iter__") else (convert(value),)

    return read


_CONVERT: dict[Any, Any] = {
    bool: _boolean,
    int: _integer,
    float: float,
    str: str,
    tuple[int, ...]: _tuple_reader(_integer),
    tuple[float, ...]: _tuple_reader(float),
}
_KIND_NAMES = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a text",
    tuple[int, ...]: "a tuple of integers",
    tuple[float, ...]: "a tuple of numbers",
}
