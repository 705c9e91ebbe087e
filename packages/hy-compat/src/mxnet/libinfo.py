"""Version of MXNet that hy implements, and paths of MXNet's C++ library."""

from typing import NoReturn

from hy_ndarray import HyError

__all__ = ["__version__", "find_conf_path", "find_include_path", "find_lib_path"]

__version__ = "1.9.1"


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Raise an error: hy has no MXNet library.

    Raises:
        HyError: Always.
    """
    _absent(f"library {prefix}")


def find_include_path() -> str:
    """Raise an error: hy has no C headers of MXNet.

    Raises:
        HyError: Always.
    """
    _absent("C headers")


def find_conf_path(prefix: str = "tvmop") -> str:
    """Raise an error: hy has no configuration file of MXNet's library.

    Raises:
        HyError: Always.
    """
    _absent(f"configuration {prefix}.conf")


def _absent(what: str) -> NoReturn:
    raise HyError(
        f"hy is written in Python and has no {what}; write operators of your own with "
        "mxnet.operator.CustomOp, or as a kernel package"
    )
