"""Check that outputs of blocks are arrays of ``mx.np`` after ``npx.set_np()``."""

from typing import Any

from hy_gluon._errors import ClassicOutputError
from hy_ndarray import NDArray, np

__all__ = ["check_numpy_outputs"]


def check_numpy_outputs(name: str, out: Any) -> None:
    """Raise an error if the result of a block contains classic arrays (of ``mx.nd``).

    Args:
        name: Name of the block.
        out: Result of ``forward``: arrays, symbols, None, or nested lists of these.

    Raises:
        ClassicOutputError: ``out`` contains a classic array.
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
