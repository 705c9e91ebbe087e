"""Image operators on ``np.ndarray``: ``npx.image.resize`` and the like."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_ndarray.array._functions import array_function

if TYPE_CHECKING:
    from hy_ndarray.npx._operators.image import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), array_function, "npx.image")
