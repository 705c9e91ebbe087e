"""MXNet's version that hy implements, and the paths of its C++ library."""

from typing import NoReturn

from hy_ndarray import HyError

__all__ = ["__version__", "find_conf_path", "find_include_path", "find_lib_path"]

__version__ = "1.9.1"


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Return the paths of MXNet's shared library.

    Raises:
        HyError: Always: hy has none.
    """
    _absent(f"library {prefix}")


def find_include_path() -> str:
    """Return the folder of MXNet's C headers.

    Raises:
        HyError: Always: hy has none.
    """
    _absent("C headers")


def find_conf_path(prefix: str = "tvmop") -> str:
    """Return the path of a configuration file of MXNet's library.

    Raises:
        HyError: Always: hy has none.
    """
    _absent(f"configuration {prefix}.conf")


def _absent(what: str) -> NoReturn:
    raise HyError(
        f"hy is written in Python and has no {what}; write operators of your own with "
        "mxnet.operator.CustomOp, or as a kernel package"
    )
