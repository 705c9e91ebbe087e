"""Names that newer releases of Python and numpy dropped and clients of MXNet still use."""

import collections
import collections.abc
import functools
import importlib.util
import inspect
import typing
from typing import Any

import numpy as np

for _name in ("Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence", "Callable"):
    if not hasattr(collections, _name):
        setattr(collections, _name, getattr(collections.abc, _name))
for _name, _value in {
    "bool": bool,
    "int": int,
    "float": float,
    "object": object,
    "str": str,
    "Inf": float("inf"),
    "NaN": float("nan"),
    "unicode_": str,
}.items():
    if _name not in vars(np):
        setattr(np, _name, _value)
if not hasattr(inspect, "getargspec"):
    _arguments = collections.namedtuple("_arguments", "args varargs keywords defaults")  # noqa: PYI024
    vars(inspect)["getargspec"] = lambda f: _arguments(*inspect.getfullargspec(f)[:4])

if "asscalar" not in vars(np):
    vars(np)["asscalar"] = lambda a: a.item()
if "arraysetops" not in vars(np.lib):
    vars(np.lib)["arraysetops"] = np  # its functions are numpy's own
_save = np.save


@functools.wraps(_save)
def _saved(file: Any, arr: Any, *args: Any, **kwargs: Any) -> None:
    """Write rows of different lengths as objects: Sockeye gives lists of them."""
    if isinstance(arr, list) and len({np.shape(row) for row in arr}) > 1:
        rows, arr = arr, np.empty(len(arr), object)
        arr[:] = rows
    _save(file, arr, *args, **kwargs)


vars(np)["save"] = _saved

_named_tuple = vars(typing)["NamedTupleMeta"].__new__


def _with_fields(kind: Any, name: str, bases: tuple[Any, ...], space: dict[str, Any]) -> Any:
    """Leave out the bases beside NamedTuple, as Python did up to 3.8: AutoGluon names some."""
    kept = tuple(base for base in bases if isinstance(base, kind) or base is typing.Generic)
    return _named_tuple(kind, name, kept, space)


vars(typing)["NamedTupleMeta"].__new__ = _with_fields

if importlib.util.find_spec("autogluon"):
    importlib.import_module("autogluon_names")
