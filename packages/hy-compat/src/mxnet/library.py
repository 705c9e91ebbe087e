"""Loading of libraries with C++ operators of MXNet, which hy does not support."""

from pathlib import Path
from typing import NoReturn

from hy_ndarray import HyError

__all__ = ["load"]


def load(path: str, verbose: bool = True) -> NoReturn:  # noqa: ARG001  # MXNet's
    """Raise an error: hy cannot load a library built for MXNet.

    Raises:
        HyError: Always: the file is missing, or needs MXNet's C++ interface.
    """
    if not Path(path).exists():
        raise HyError(f"load path {path} does NOT exist")
    raise HyError(
        f"{path} cannot be loaded: hy has none of the C++ interface that libraries of operators "
        "are built against; write operators with mx.operator.CustomOp, kernels as a kernel package "
        "(entry-point group hy.kernels), and graph passes as a backend of Symbol.optimize_for"
    )
