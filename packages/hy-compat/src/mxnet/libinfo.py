"""The version of MXNet that hy is, and where the parts of its C++ library would be."""

from typing import NoReturn

from hy_ndarray import HyError

__all__ = ["__version__", "find_conf_path", "find_include_path", "find_lib_path"]

__version__ = "1.9.1"


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Paths of MXNet's shared library.

    Raises:
        HyError: Always: hy has none.
    """
    _absent(f"the library {prefix}")


def find_include_path() -> str:
    """Return the folder of MXNet's C headers.

    Raises:
        HyError: Always: hy has none.
    """
    _absent("the C headers")


def find_conf_path(prefix: str = "tvmop") -> str:
    """Return the path of a configuration file of MXNet's library.

    Raises:
        HyError: Always: hy has none.
    """
    _absent(f"the configuration {prefix}.conf")


def _absent(what: str) -> NoReturn:
    raise HyError(
        f"{what} of MXNet is no part of hy, which is written in Python; operators of your own are "
        "written with mxnet.operator.CustomOp, or come in a kernel package"
    )
