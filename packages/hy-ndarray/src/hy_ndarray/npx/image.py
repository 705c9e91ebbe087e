"""Image operators on ``np.ndarray``: ``npx.image.resize`` and the like."""

from hy_ndarray import namespaces
from hy_ndarray.array._functions import array_function

__getattr__, __dir__ = namespaces.members(globals(), array_function, "npx.image")
