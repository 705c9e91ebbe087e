"""Extensions that are more than an operator, on arrays and on symbols."""

from typing import Any

from hy_ndarray.np.calls import A, call, is_number

__all__ = ["constraint_check", "nonzero", "reshape"]


def reshape(a: A, newshape: Any, reverse: bool = False, order: str = "C") -> A:
    """The elements under a shape given by codes.

    Args:
        a: The array.
        newshape: Sizes, or codes: -1 is decided by the number of elements; -2 copies the size
            here; -3 leaves out an axis of size 1; -4 copies all further sizes; -5 multiplies two
            sizes; -6 divides a size into the two that follow.
        reverse: Match the sizes from the last axis.
        order: ``"C"``.
    """
    sizes = (int(newshape),) if is_number(newshape) else tuple(newshape)
    return call("_npx_reshape", a, newshape=sizes, reverse=reverse, order=order)


def nonzero(a: A) -> A:
    """Indices of the elements that are not 0: one row for each, int64."""
    return call("_npx_nonzero", a)


def constraint_check(x: A, msg: str) -> A:
    """Whether all elements are true.

    Raises:
        ArgumentError: One is not; ``msg`` is the message.
    """
    return call("_npx_constraint_check", x, msg=msg)
