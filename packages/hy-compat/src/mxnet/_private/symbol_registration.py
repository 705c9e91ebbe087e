"""Private functions of ``mxnet.symbol.register``: functions of operators on symbols."""

from collections.abc import Callable
from typing import Any

from hy_symbol import Symbol, sym as symbols
from mxnet._private.absent import Absent
from mxnet._private.registration import WRITTEN, function_of, verify

_generate_symbol_function_code = Absent("_generate_symbol_function_code", WRITTEN)
_symbol_creator = Absent("_symbol_creator", "call mx.sym.op.<name>(…)")


def _make_symbol_function(handle: Any, name: str, func_name: str) -> Callable[..., Any]:
    """Return the function of an operator on symbols.

    Args:
        handle: Has no effect: the operator is found by name.
        name: The operator.
        func_name: Name of the function.
    """
    del handle
    return function_of(symbols, name, func_name)


def _verify_np_symbol(op_name: str, func_name: str, sym: Any) -> None:
    """Raise an error if a symbol is not of the NumPy interface.

    Raises:
        OperandError: The symbol is of the classic interface.
    """
    verify(op_name, func_name, [sym], None, Symbol, is_np=True)


def _verify_legacy_symbol(op_name: str, func_name: str, sym: Any) -> None:
    """Raise an error if a symbol is of the NumPy interface.

    Raises:
        OperandError: The symbol is of the NumPy interface.
    """
    verify(op_name, func_name, [sym], None, Symbol, is_np=False)
