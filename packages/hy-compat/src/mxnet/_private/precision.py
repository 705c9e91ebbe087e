"""Private functions of ``mxnet.contrib.amp.amp``."""

from collections.abc import Sequence
from typing import Any, NoReturn

from hy_ndarray import NDArray, dtype_name
from hy_symbol import Symbol, sym
from mxnet._private.absent import AbsentError
from mxnet._private.base import _get_op_name_prefix


def _cast_symbol_NDArray(s: Any, dtype: Any) -> Any:  # noqa: N802  # MXNet's name
    """Cast a float array or symbol; other values are returned unchanged."""
    if isinstance(s, Symbol):
        return sym.amp_cast(s, dtype=dtype)
    is_float = isinstance(s, NDArray) and dtype_name(s.dtype).endswith(("float16", "32", "64"))
    is_float = is_float and "float" in dtype_name(s.dtype)
    return s.astype(dtype, copy=False) if is_float else s


def _get_fun_to_wrap(name: str, module: Any, submodule_dict: dict[str, Any]) -> tuple[str, Any]:
    """Return an operator's name without prefix, and the module of its function.

    Args:
        name: Name of the operator, such as ``"_contrib_box_nms"``.
        module: ``mx.nd`` or ``mx.sym``.
        submodule_dict: Modules by the prefixes of operators: ``{"_contrib_": mx.nd.contrib}``.

    Raises:
        KeyError: There is no module for the prefix.
    """
    prefix = _get_op_name_prefix(name)
    if prefix:
        return name.removeprefix(prefix), submodule_dict[prefix]
    if name.startswith("_"):
        return name, module._internal
    return name, module


def _refuse(what: str) -> NoReturn:
    raise AbsentError(
        f"{what} changes functions of modules in MXNet; hy casts by a policy, which "
        "mx.contrib.amp.init(target_dtype) sets, with lists of operators of your own, and "
        "amp.disable() removes"
    )


def _wrap_symbol_functions(
    module: Any,
    target_dtype: Any,
    target_precision_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Any] | None = None,
    fp32_ops: Sequence[str] | None = None,
) -> None:
    """Call ``amp.init``, which casts the inputs of operators in all modules."""
    from hy_gluon import amp  # noqa: PLC0415  # it is loaded on first use

    del module
    amp.init(target_dtype, target_precision_ops, conditional_fp32_ops, fp32_ops)


def _wrap_loss_output_functions(module: Any, ls: Any, target_dtype: Any) -> NoReturn:
    """Raise an error: ``amp.init`` scales the gradients of losses.

    Raises:
        AbsentError: Always.
    """
    del module, ls, target_dtype
    _refuse("_wrap_loss_output_functions")
