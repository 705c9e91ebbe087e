"""Private functions and classes of ``mxnet.gluon.block`` and ``mxnet.gluon.nn``."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon import nn
from hy_ndarray import Context, NDArray, np as mx_np
from hy_ndarray.warning import warn
from hy_symbol import Symbol
from mxnet._private.errors import OperandError

_BatchNorm = nn.BatchNorm
"""The class that MXNet's layers of this kind derive from."""


def _common_prefix(names: Sequence[str]) -> str:
    """Return the longest common prefix of names.

    Example:
        >>> _common_prefix(["dense0_weight", "dense0_bias"])
        'dense0_'
    """
    return os.path.commonprefix(list(names))  # noqa: RUF071  # of names, not of paths


def _leaves(args: Any) -> list[Any]:
    if isinstance(args, list | tuple):
        return [leaf for part in args for leaf in _leaves(part)]
    return [args]


def _gather_type_ctx_info(args: Any) -> tuple[bool, bool, set[Context], Context | None]:
    """Return the types of a block's arguments, and their contexts.

    Returns:
        Whether there is a symbol, whether there is an array, the contexts, and the first one.
    """
    leaves = _leaves(args)
    contexts = [leaf.context for leaf in leaves if isinstance(leaf, NDArray)]
    has_symbol = any(isinstance(leaf, Symbol) for leaf in leaves)
    return has_symbol, bool(contexts), set(contexts), contexts[0] if contexts else None


def _is_numpy_symbol(symbol: Symbol) -> bool:
    return type(symbol) is not Symbol


def _check_same_symbol_type(symbols: Sequence[Symbol]) -> type[Symbol]:
    """Return the common class of all symbols.

    Raises:
        OperandError: Symbols of both interfaces (``mx.sym`` and ``mx.sym.np``) are mixed.
    """
    if len({_is_numpy_symbol(symbol) for symbol in symbols}) > 1:
        raise OperandError(
            "Found both classic symbols (mx.sym.Symbol) and numpy symbols (mx.sym.np._Symbol) in "
            "outputs: turn one kind into the other with as_nd_ndarray() or as_np_ndarray()"
        )
    return type(symbols[0])


def _check_all_np_ndarrays(out: Any) -> None:
    """Raise an error if a block returns arrays or symbols not of the NumPy interface.

    Raises:
        OperandError: An array or symbol is of the classic interface.
    """
    for leaf in _leaves(out):
        is_classic = isinstance(leaf, NDArray) and not isinstance(leaf, mx_np.ndarray)
        if is_classic or (isinstance(leaf, Symbol) and not _is_numpy_symbol(leaf)):
            raise OperandError(
                "Block's output ndarrays/symbols must be of type `mxnet.numpy.ndarray` or "
                f"`mxnet.symbol.numpy._Symbol`, while got output type {type(leaf)}"
            )


def _infer_param_types(
    in_params: Sequence[Symbol],
    out_params: Symbol,
    arg_params: Sequence[str],
    aux_params: Sequence[str],
    default_dtype: Any = np.float32,
) -> tuple[list[Any], list[Any]]:
    """Return the dtypes of a graph's parameters and auxiliary states.

    Args:
        in_params: The inputs, some of which may have a dtype.
        out_params: The outputs.
        arg_params: Names of the parameters.
        aux_params: Names of the auxiliary states.
        default_dtype: Dtype if the inputs do not determine it.
    """
    known: dict[str, Any] = {}
    for symbol in in_params:
        (dtype,) = symbol.infer_type()[0] or (None,)
        if dtype is not None:
            known[str(symbol.name)] = dtype
    # MXNet infers only if all inputs know their dtype.
    if len(known) == len(in_params):
        arg_types, _, aux_types = out_params.infer_type_partial(**known)
        args = dict(zip(out_params.list_arguments(), arg_types or (), strict=False))
        auxs = dict(zip(out_params.list_auxiliary_states(), aux_types or (), strict=False))
        types = [args.get(name) for name in arg_params], [auxs.get(name) for name in aux_params]
        if None not in (*types[0], *types[1]):
            return types
    warn(
        "Cannot decide type for the following arguments. Consider providing them as input:\n\t"
        + "\n\t".join(str(symbol.name) for symbol in in_params if symbol.name not in known)
    )
    return [default_dtype] * len(arg_params), [default_dtype] * len(aux_params)
