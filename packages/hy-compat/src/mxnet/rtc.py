"""Run-time compilation of CUDA sources, which hy does not support."""

from collections.abc import Sequence
from typing import Any, NoReturn

from hy_ndarray import HyError

__all__ = ["CudaKernel", "CudaModule"]


def _refuse(what: str) -> NoReturn:
    raise HyError(
        f"{what}: hy compiles no CUDA sources; write the kernel in Triton or as a torch extension, "
        "and call it from mx.operator.CustomOp or register it in a kernel package (entry-point "
        "group hy.kernels)"
    )


class CudaModule:
    """CUDA sources, which hy does not compile: raises an error.

    Raises:
        HyError: Always; the message says what to use.
    """

    def __init__(
        self,
        source: str,  # noqa: ARG002  # MXNet's
        options: Sequence[str] = (),  # noqa: ARG002
        exports: Sequence[str] = (),  # noqa: ARG002
    ) -> None:
        _refuse("CudaModule")

    def get_kernel(self, name: str, signature: str) -> NoReturn:  # noqa: ARG002  # MXNet's
        """Raise an error: there is no compiled module."""
        _refuse(f"kernel {name}")


class CudaKernel:
    """Function of a :class:`CudaModule`: raises an error.

    Raises:
        HyError: Always; the message says what to use.
    """

    def __init__(self, handle: Any, name: str, is_ndarray: Any, dtypes: Any) -> None:  # noqa: ARG002
        _refuse(f"kernel {name}")

    def launch(
        self,
        args: Sequence[Any],  # noqa: ARG002  # MXNet's
        ctx: Any,  # noqa: ARG002
        grid_dims: Sequence[int],  # noqa: ARG002
        block_dims: Sequence[int],  # noqa: ARG002
        shared_mem: int = 0,  # noqa: ARG002
    ) -> NoReturn:
        """Raise an error: there is no compiled function."""
        _refuse("launch")
