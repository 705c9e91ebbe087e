"""``nd._internal``, MXNet's namespace of operators whose names begin with an underscore."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_ndarray.sparse.failed import raised_late

if TYPE_CHECKING:
    from hy_ndarray.nd._operators._internal import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), raised_late, "")
