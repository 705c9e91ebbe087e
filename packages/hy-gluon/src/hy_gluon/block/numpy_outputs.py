"""Checks that outputs of blocks are NumPy arrays when NumPy semantics are in use."""

from typing import Any

from hy_gluon._errors import ClassicOutputError
from hy_ndarray import NDArray, np

__all__ = ["check_numpy_outputs"]


def check_numpy_outputs(name: str, out: Any) -> None:
    """Refuse classic arrays in the results of a block.

    Args:
        name: Of the block.
        out: What its forward gave: arrays, symbols, None, or nested lists of them.

    Raises:
        ClassicOutputError: There is one.
    """
    if isinstance(out, list | tuple):
        for part in out:
            check_numpy_outputs(name, part)
    elif isinstance(out, NDArray) and not isinstance(out, np.ndarray):
        raise ClassicOutputError(
            f"{name}: its output is a {type(out).__name__} {out.shape}, while use_np or set_np "
            "asks for arrays of mx.np; call the block with such arrays, or end forward with "
            "as_np_ndarray()"
        )
