"""``mxnet._numpy_op_doc`` and ``mxnet.numpy_op_signature``: functions by operator name."""

import inspect
import sys
from types import ModuleType
from typing import Any

from hy_ndarray import NDArray, np as mx_np, npx as mx_npx, ops
from mxnet._private.base import _get_op_submodule_name
from mxnet._private.npi import operator_function
from mxnet._private.values import _NP_EXT_OP_SUBMODULE_LIST, _NP_OP_SUBMODULE_LIST

__all__ = [
    "_NP_EXT_OP_SUBMODULE_LIST",
    "_NP_OP_SUBMODULE_LIST",
    "_get_op_submodule_name",
    "inspect",
    "mx_np",
    "mx_npx",
]

_numpy_op_doc: ModuleType = sys.modules[__name__]
_PREFIXES = ("_np_", "_npx_")
_np__random_shuffle = mx_np.random.shuffle


def _get_builtin_op(op_name: str) -> Any:
    """Return the function of ``mx.np`` or ``mx.npx`` for an operator's name.

    Args:
        op_name: Name such as ``"_np_sum"`` or ``"_npx__image_resize"``.
    """
    for prefix, root, below in (
        ("_npx_", mx_npx, _NP_EXT_OP_SUBMODULE_LIST),
        ("_np_", mx_np, _NP_OP_SUBMODULE_LIST),
    ):
        if op_name.startswith(prefix):
            submodule = _get_op_submodule_name(op_name, prefix, below)
            holder = getattr(root, submodule.strip("_")) if submodule else root
            return getattr(holder, op_name.removeprefix(prefix).removeprefix(submodule))
    raise ValueError(f"{op_name} is no operator of mx.np or mx.npx")


def _register_op_signatures() -> None:
    """Do nothing: hy's functions already have signatures."""


def __getattr__(name: str) -> Any:
    if not name.startswith(_PREFIXES) or not ops.exists(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return operator_function(NDArray, ops.find(name), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in ops.names() if name.startswith(_PREFIXES))})
