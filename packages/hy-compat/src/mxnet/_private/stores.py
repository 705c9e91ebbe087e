"""Private functions of ``mxnet.kvstore``."""

import ctypes
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NoReturn

from mxnet import base
from mxnet._private.absent import Absent, Handle
from mxnet._private.arrays import array_of_handle
from mxnet._private.errors import CheckError


def _ctype_dict(param_dict: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return names and values as two C arrays of strings."""
    keys = base.c_str_array(list(param_dict))
    return keys, base.c_str_array([str(value) for value in param_dict.values()])


def _pairs(keys: Any, vals: Any) -> list[tuple[Any, Any]]:
    """Return pairs of a key and its single array."""
    if isinstance(keys, tuple | list):
        if len(keys) != len(vals):
            raise CheckError(f"{len(keys)} keys for {len(vals)} values")
        return [pair for key, val in zip(keys, vals, strict=True) for pair in _pairs(key, val)]
    if not isinstance(keys, int | str):
        raise CheckError(f"unexpected type for keys: {type(keys)}")
    return [(keys, val) for val in (vals if isinstance(vals, tuple | list) else [vals])]


def _ctype_key_value(keys: Any, vals: Any) -> tuple[Any, list[Handle], bool]:
    """Return keys as a C array, the arrays' handles, and whether the keys are strings.

    Args:
        keys: A key, or several.
        vals: An array, or a list of arrays, for each key.

    Raises:
        CheckError: Keys are not all integers or all strings.
    """
    pairs = _pairs(keys, vals)
    # MXNet's C interface has one function for integers and one for texts.
    kinds = {isinstance(key, str) for key, _ in pairs}
    if len(kinds) > 1:
        raise CheckError("inconsistent types of keys detected.")
    is_text = kinds == {True}
    names = [key for key, _ in pairs]
    array = base.c_str_array(names) if is_text else base.c_array(ctypes.c_int, names)
    return array, [val.handle for _, val in pairs], is_text


_COMMANDS = {
    "kController": 0,
    "kSetMultiPrecision": 1,
    "kStopServer": 2,
    "kSyncMode": 3,
    "kSetGradientCompression": 4,
    "kSetProfilerParams": 5,
}


def _get_kvstore_server_command_type(command: str) -> int:
    """Return the number of a command to parameter servers.

    Raises:
        CheckError: There is no such command.
    """
    if command not in _COMMANDS:
        raise CheckError(f"Unknown command type to send to server: {command!r}, not {[*_COMMANDS]}")
    return _COMMANDS[command]


def _updater_wrapper(updater: Callable[[Any, Any, Any], Any]) -> Callable[..., None]:
    """Return an updater that accepts arrays or handles, and an unused fourth argument."""

    def updater_handle(key: Any, lhs_handle: Any, rhs_handle: Any, _: Any = None) -> None:
        updater(key, array_of_handle(lhs_handle), array_of_handle(rhs_handle))

    return updater_handle


def _init_kvstore_server_module() -> None:
    """Run a parameter server, and exit, if ``DMLC_ROLE`` is ``server`` or ``scheduler``."""
    environment = import_module("os").environ
    # MXNet calls this on import, so that servers never run the user's program.
    if environment.get("DMLC_ROLE", "worker") != "worker":
        import_module("hy_gluon.kvstore.kvstore_server").serve()


def set_kvstore_handle(handle: Any) -> NoReturn:
    """Raise an error: there are no parameter servers to profile.

    Raises:
        AbsentError: Always.
    """
    del handle
    Absent("set_kvstore_handle", "each worker profiles itself: mx.profiler.set_config, start")()
