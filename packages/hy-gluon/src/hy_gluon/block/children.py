"""Error messages for invalid children and arguments of blocks."""

from hy_gluon._errors import ChildError, StructureError
from hy_ndarray import is_np_array
from hy_ndarray.foreign import conversion, kind_of
from hy_symbol import Symbol

__all__ = ["no_block", "no_operand", "not_hybrid"]


def no_block(parent: str, value: object) -> ChildError:
    """Return the error that a child is not a block, with a hint how to wrap it in a block.

    Args:
        parent: Name of the parent block.
        value: Object that was to become a child.
    """
    if isinstance(value, type):
        name = value.__name__
        wrong, remedy = f"the class {name}", f"add an instance of it, {name}(...)"
    elif isinstance(value, Symbol):
        wrong, remedy = repr(value), "make a block of it with SymbolBlock(outputs, inputs)"
    elif isinstance(value, str):
        wrong = repr(value)
        remedy = "the name of an activation or operator is made a block with nn.Activation(...) or "
        remedy += "nn.HybridLambda(...)"
    elif isinstance(value, list | tuple):
        wrong, remedy = kind_of(value), "blocks are added one by one: add(*blocks)"
    elif callable(value):
        wrong = f"the function {getattr(value, '__name__', value)}"
        remedy = "make a block of it with nn.Lambda(...) or nn.HybridLambda(...)"
    else:
        wrong, remedy = kind_of(value), "add layers or other blocks"
    return ChildError(f"{parent}: children of a block are blocks, not {wrong}; {remedy}")


def not_hybrid(name: str, kind: str) -> StructureError:
    """Return the error that a child of a HybridBlock is not hybrid.

    Args:
        name: Name of the child.
        kind: Class of the child.
    """
    return StructureError(
        f"Children of HybridBlock must also be HybridBlock, but {name} has type {kind}. If you are "
        "using Sequential, please try HybridSequential instead"
    )


def no_operand(name: str, value: object) -> StructureError:
    """Return the error that arguments of a HybridBlock are neither arrays nor symbols.

    Args:
        name: Name of the block.
        value: First argument of the call.
    """
    advice = conversion(value, "np" if is_np_array() else "nd")
    return StructureError(
        f"{name}: a HybridBlock takes NDArrays or Symbols, not {kind_of(value)}{advice}"
    )
