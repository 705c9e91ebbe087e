"""``mxnet.base``: types, the home folder, MXNet's error class, and helpers for C."""

import ctypes
import inspect
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from hy_ndarray import HyError, ops
from mxnet._c_types import (
    c_array,
    c_array_buf,
    c_handle_array,
    c_str,
    c_str_array,
    ctypes2buffer,
    ctypes2numpy_shared,
    mx_float,
    mx_float_p,
    mx_int,
    mx_int64,
    mx_uint,
    py_str,
)
from mxnet._errors import (
    NotSupportedForSparseNDArray,
    c2pyerror,
    error_types,
    get_last_ffi_error,
    keep_message,
    register_error,
)
from mxnet.libinfo import __version__

__all__ = [
    "MXNetError",
    "NotSupportedForSparseNDArray",
    "_Null",
    "_NullType",
    "__version__",
    "_as_list",
    "add_fileline_to_docstring",
    "basestring",
    "build_param_doc",
    "c2pyerror",
    "c_array",
    "c_array_buf",
    "c_handle_array",
    "c_str",
    "c_str_array",
    "check_call",
    "classproperty",
    "ctypes2buffer",
    "ctypes2numpy_shared",
    "data_dir",
    "data_dir_default",
    "error_types",
    "get_last_ffi_error",
    "integer_types",
    "long",
    "mx_float",
    "mx_float_p",
    "mx_int",
    "mx_int64",
    "mx_real_t",
    "mx_uint",
    "numeric_types",
    "py_str",
    "register_error",
    "string_types",
    "with_metaclass",
]

MXNetError = HyError

mx_real_t = np.float32
"""The default dtype."""

integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)
basestring = str
long = int


def data_dir_default() -> str:
    """Return the default folder of models and datasets, without ``MXNET_HOME``."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("APPDATA", ""), "mxnet")  # noqa: PTH118  # a text
    return os.path.expanduser("~/.mxnet")  # noqa: PTH111  # also without a home directory


def data_dir() -> str:
    """Return the folder of models and datasets: ``MXNET_HOME``, or :func:`data_dir_default`."""
    return os.environ.get("MXNET_HOME", data_dir_default())


class _MXClassPropertyDescriptor:
    """Property of a class, optionally with a setter.

    Args:
        fget: Function that returns the value.
        fset: Function that sets the value, or None.
    """

    def __init__(self, fget: Any, fset: Any = None) -> None:
        self.fget = fget
        self.fset = fset

    def __get__(self, obj: Any, clas: type | None = None) -> Any:
        return self.fget.__get__(obj, clas or type(obj))()

    def __set__(self, obj: Any, value: Any) -> None:
        if not self.fset:
            raise HyError("cannot use the setter: the property has none")
        owner = obj if isinstance(obj, type) else type(obj)
        self.fset.__get__(obj, owner)(value)

    def setter(self, func: Any) -> "_MXClassPropertyDescriptor":
        """Set the setter, a function or a class method, and return the property."""
        is_method = isinstance(func, classmethod | staticmethod)
        self.fset = func if is_method else classmethod(func)
        return self


class _MXClassPropertyMetaClass(type):
    """Metaclass that passes assignments to class properties on to their setters."""

    def __setattr__(cls, key: str, value: Any) -> None:
        descriptor = cls.__dict__.get(key)
        if isinstance(descriptor, _MXClassPropertyDescriptor):
            descriptor.__set__(cls, value)
        else:
            super().__setattr__(key, value)


def classproperty(func: Any) -> Any:
    """Return a method as a property of the class.

    Example:
        >>> class Net:
        ...     @classproperty
        ...     def kind(cls):
        ...         return cls.__name__
        >>> Net.kind
        'Net'
    """
    is_method = isinstance(func, classmethod | staticmethod)
    return _MXClassPropertyDescriptor(func if is_method else classmethod(func))


def with_metaclass(meta: Any, *bases: type) -> Any:
    """Return a base class with metaclass ``meta``, for code that also runs on Python 2."""

    class Temporary(type):
        def __new__(cls, name: str, _: Any, namespace: dict[str, Any]) -> Any:
            return meta(name, bases, namespace)

    # The class statement calls Temporary, which makes the real class of `meta` instead (six's way).
    return type.__new__(Temporary, "temporary_class", (), {})


def build_param_doc(
    arg_names: Sequence[str],
    arg_types: Sequence[str],
    arg_descs: Sequence[str],
    remove_dup: bool = True,
) -> str:
    """Return the section ``Parameters`` of a docstring.

    Args:
        arg_names: Names of the parameters.
        arg_types: Types of the parameters, as text.
        arg_descs: Descriptions of the parameters, which may be empty.
        remove_dup: Omit repeated names.
    """
    lines = []
    seen = set()
    for name, kind, text in zip(arg_names, arg_types, arg_descs, strict=True):
        # Functions count variadic inputs themselves, so num_args is no parameter of theirs.
        if name == "num_args" or (remove_dup and name in seen):
            continue
        seen.add(name)
        lines.append(f"{name} : {kind}" + (f"\n    {text}" if text else ""))
    return "Parameters\n----------\n" + "\n".join(lines) + "\n"


def add_fileline_to_docstring(module: ModuleType | str, incursive: bool = True) -> None:
    """Append ``From:<file>:<line>`` to the docstrings of a module's functions and methods.

    Args:
        module: The module, or the name of an imported module.
        incursive: Also change methods of its classes.
    """
    module = sys.modules[module] if isinstance(module, str) else module
    pending: list[Any] = [module]
    while pending:
        holder = pending.pop()
        for _, value in inspect.getmembers(holder):
            # Imported names get their line in the module that defines them.
            if getattr(value, "__module__", module.__name__) != module.__name__:
                continue
            if inspect.isfunction(value) and value.__doc__ and "From:" not in value.__doc__:
                line = f"{inspect.getsourcefile(value)}:{inspect.getsourcelines(value)[1]}"
                value.__doc__ += f"\n\nFrom:{line}"
            elif inspect.isclass(value) and incursive and value.__module__ == module.__name__:
                pending.append(value)


class LibraryError(HyError, AttributeError):
    """A function of MXNet's C library was requested that hy does not have."""


class _Library:
    """Functions of MXNet's C interface that Python programs call: handles of operators."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def NNGetOpHandle(self, name: Any, handle: Any) -> int:  # noqa: N802  # MXNet's name
        """Write the handle of operator ``name`` into ``handle``; return 0, or -1 if unknown."""
        text = name.value.decode()
        if not ops.exists(text):
            keep_message(f"there is no operator {text!r}")
            return -1
        if text not in self.names:
            self.names.append(text)
        # Counted from 1: a null pointer is what a failed call leaves. `_obj` is what ctypes.byref
        # was given.
        handle._obj.value = self.names.index(text) + 1
        return 0

    def __getattr__(self, name: str) -> NoReturn:
        # Copying, pickling and hasattr probe for dunder names, and expect the plain error.
        if name.startswith("__"):
            raise AttributeError(name)
        raise LibraryError(
            f"{name} is a function of MXNet's C library, which hy does not have: call the function "
            "of mx.nd, mx.sym or mx.gluon that does it"
        )


_LIB = _Library()


_NullType = ops.NotGiven
_Null: Any = ops.NOT_GIVEN
"""What a symbol's builder passes on where it was given nothing."""


def _as_list(obj: Any) -> Any:
    """Return a list or tuple unchanged, and other values as a list of one element."""
    return obj if isinstance(obj, list | tuple) else [obj]


def check_call(ret: int) -> None:
    """Raise the last error of the C interface unless ``ret``, the result of a call, is 0."""
    if ret != 0:
        raise get_last_ffi_error()


def handle_of_operator(name: str) -> int:
    """Return the handle of an operator, as :meth:`NNGetOpHandle` does.

    Raises:
        HyError: There is no such operator.
    """
    handle = ctypes.c_void_p()
    check_call(_LIB.NNGetOpHandle(c_str(name), ctypes.byref(handle)))
    return int(handle.value or 0)


def operator_of_handle(handle: int) -> str:
    """Return the name of the operator with a handle."""
    return _LIB.names[handle - 1]


if TYPE_CHECKING:
    from hy_symbol import NotForSymbolError

    NotImplementedForSymbol = NotForSymbolError
else:

    def __getattr__(name: str) -> Any:
        if name == "NotImplementedForSymbol":  # graphs load when first used
            return import_module("hy_symbol").NotForSymbolError
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "NotImplementedForSymbol"])
