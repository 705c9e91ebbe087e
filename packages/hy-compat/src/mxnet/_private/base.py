"""Private functions of ``mxnet.base``: operator names, error names, class properties."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from hy_ndarray import nd, ops
from mxnet import base
from mxnet._private.absent import Absent
from mxnet._private.values import (
    _NP_EXT_OP_PREFIX,
    _NP_INTERNAL_OP_PREFIX,
    _NP_OP_PREFIX,
    _NP_OUTPUT_IS_LIST_OPERATORS,
    _OP_NAME_PREFIX_LIST,
)


def _valid_error_name(name: str) -> bool:
    """Return whether a text can be the name of an exception class."""
    return all(c.isalnum() or c in "_." for c in name)


def _find_error_type(line: str) -> str | None:
    """Return the class name in a message's first line ``<name>: <text>``.

    Example:
        >>> _find_error_type("ValueError: no such axis")
        'ValueError'
    """
    name, colon, _ = line.partition(":")
    return name if colon and _valid_error_name(name) else None


def _get_op_name_prefix(op_name: str) -> str:
    """Return the prefix of an operator's namespace, empty if it has none.

    Example:
        >>> _get_op_name_prefix("_contrib_box_nms"), _get_op_name_prefix("dot")
        ('_contrib_', '')
    """
    return next((prefix for prefix in _OP_NAME_PREFIX_LIST if op_name.startswith(prefix)), "")


def _get_op_submodule_name(op_name: str, op_name_prefix: str, submodule_name_list: Any) -> str:
    """Return the submodule for an operator's name after the prefix; empty if there is none.

    Example:
        >>> _get_op_submodule_name("_npx__image_resize", "_npx_", ["_image_"])
        '_image_'
    """
    rest = op_name.removeprefix(op_name_prefix)
    return next((name for name in submodule_name_list if rest.startswith(name)), "")


def _is_np_op(op_name: str) -> bool:
    """Return whether an operator belongs to the NumPy interface."""
    return op_name.startswith((_NP_OP_PREFIX, _NP_EXT_OP_PREFIX, _NP_INTERNAL_OP_PREFIX))


def _output_is_list(op_name: str) -> bool:
    """Return whether an operator returns a list even for one output."""
    return _is_np_op(op_name) and op_name in _NP_OUTPUT_IS_LIST_OPERATORS


_Make = Callable[[Any, str, str], Any]


def _new_function(name: str, func_name: str, make_op_func: _Make) -> Any:
    return make_op_func(base.handle_of_operator(name), name, func_name)


def _init_op_module(root_namespace: str, module_name: str, make_op_func: _Make) -> None:
    """Add a function for every operator to ``<root>.<module>``, unless it exists.

    Args:
        root_namespace: ``"mxnet"``.
        module_name: ``"ndarray"`` or ``"symbol"``, or a module with submodules.
        make_op_func: ``make(handle, name, func_name)``, which returns the function.
    """
    for name in ops.names():
        if _is_np_op(name):
            continue
        prefix = _get_op_name_prefix(name)
        # Names that begin with an underscore are internal, unless a namespace's prefix does.
        below = prefix.strip("_") or ("_internal" if name.startswith("_") else "op")
        module = import_module(f"{root_namespace}.{module_name}.{below}")
        func_name = name.removeprefix(prefix)
        # hy's own functions stay; only missing ones are added.
        if not hasattr(module, func_name):
            setattr(module, func_name, _new_function(name, func_name, make_op_func))


def _init_np_op_module(
    root_module_name: str, np_module_name: str, mx_module_name: str | None, make_op_func: _Make
) -> None:
    """Add a function for every operator of the NumPy interface, unless it exists.

    Args:
        root_module_name: ``"mxnet"``.
        np_module_name: ``"numpy"``, ``"numpy_extension"`` or ``"numpy._internal"``.
        mx_module_name: ``"ndarray"``, ``"symbol"``, or None for ``mxnet.numpy`` itself.
        make_op_func: ``make(handle, name, func_name)``, which returns the function.
    """
    prefix = {
        "numpy": _NP_OP_PREFIX,
        "numpy_extension": _NP_EXT_OP_PREFIX,
        "numpy._internal": _NP_INTERNAL_OP_PREFIX,
    }[np_module_name]
    middle = f"{mx_module_name}." if mx_module_name else ""
    module = import_module(f"{root_module_name}.{middle}{np_module_name}")
    # Names that the module has already, such as hy's own functions, stay.
    for name in ops.names():
        func_name = name.removeprefix(prefix)
        if name.startswith(prefix) and not hasattr(module, func_name):
            setattr(module, func_name, _new_function(name, func_name, make_op_func))


def _generate_op_module_signature(
    root_namespace: str, module_name: str, op_code_gen_func: Callable[[Any, str, str], Any]
) -> None:
    """Raise an error: hy writes no files ``gen_*.py`` with functions of operators.

    Raises:
        AbsentError: Always.
    """
    del root_namespace, module_name, op_code_gen_func
    Absent("_generate_op_module_signature", "type checkers read hy's .pyi files")()


def _load_lib() -> Any:
    """Return the stand-in for MXNet's library ``mxnet.base._LIB``."""
    return base._LIB


def _notify_shutdown() -> None:
    """Wait for all pending computations, as MXNet does at exit."""
    nd.waitall()


def _str2tuple(string: str) -> list[str]:
    """Return the numbers in a text, as strings.

    Example:
        >>> _str2tuple("(3, 3)")
        ['3', '3']
    """
    return re.findall(r"\d+", string)
