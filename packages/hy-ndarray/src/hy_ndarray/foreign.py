"""Descriptions, for error messages, of operands that are not arrays of hy."""

from typing import Any

import numpy as np

__all__ = ["conversion", "is_tensor", "kind_of"]

_SHOWN = {"ndarray": "numpy array", "NoneType": "None", "type": "class"}
_VOWELS = tuple("aeiouAEIOU")


def is_tensor(value: object) -> bool:
    """Return whether a value is a PyTorch tensor, without importing torch."""
    return type(value).__module__ == "torch" and hasattr(value, "__dlpack__")


def kind_of(value: object) -> str:
    """Return the kind of a value with its article, such as ``"a numpy array"``, ``"an int"``.

    Example:
        >>> kind_of([1]), kind_of(3), kind_of(None)
        ('a list', 'an int', 'None')
    """
    kind = type(value)
    name = kind.__name__
    package = kind.__module__.partition(".")[0]
    if isinstance(value, np.ndarray):
        name = "numpy array"
    elif package not in ("builtins", "numpy", "__main__") and not package.startswith("hy_"):
        name = f"{package.removesuffix('lib')}.{name.removesuffix('Impl')}"
    shown = _SHOWN.get(name, name)
    article = "" if value is None else "an " if shown.startswith(_VOWELS) else "a "
    return article + shown


def conversion(value: Any, front_end: str = "nd") -> str:
    """Return a clause that explains how to convert a value to an array, or an empty string.

    Args:
        value: The operand.
        front_end: ``"nd"``, or ``"np"`` if an array of ``mx.np`` is required.

    Example:
        >>> f"it is {kind_of([1])}{conversion([1])}"
        'it is a list; make an NDArray of it with nd.array(...)'
    """
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray | np.generic):
        return (
            "; make an NDArray of it with nd.from_dlpack(...), or "
            f"{front_end}.array(...), which copies"
        )
    if isinstance(value, list | tuple | int | float) or hasattr(value, "__array__"):
        return f"; make an NDArray of it with {front_end}.array(...)"
    return ""
