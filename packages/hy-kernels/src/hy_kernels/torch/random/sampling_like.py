"""Random numbers in the shape and dtype of an array.

Other tables draw them by their composition; its steps follow the array's sizes, which Dynamo cannot
trace: blocks that draw so could not be compiled as one graph.
"""

from collections.abc import Callable

from hy_kernels._definitions import renamed
from hy_kernels.distributions import OF_NUMBERS
from hy_kernels.torch._dtypes import NAMES
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.random import _draws
from hy_kernels.torch.random._draws import Generator


def _enter(draw: Callable[..., Tensor], *names: str) -> None:
    """Register the kernel that draws from a distribution like an array."""

    def by_one(data: Tensor, *, first: float, rng: Generator, out: OutBuffers = None) -> Tensor:
        return draw(rng, data.shape, NAMES[data.dtype], first, out)

    def by_two(
        data: Tensor, *, first: float, second: float, rng: Generator, out: OutBuffers = None
    ) -> Tensor:
        return draw(rng, data.shape, NAMES[data.dtype], first, second, out)

    function = by_one if len(names) == 1 else by_two
    kernel(f"random_{draw.__name__}_like", out="apart")(renamed(function, "data", *names))


for _name, _names in OF_NUMBERS.items():
    _enter(getattr(_draws, _name), *_names)
