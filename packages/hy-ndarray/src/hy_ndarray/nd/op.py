"""``nd.op``, MXNet's namespace with all operators."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_ndarray.custom import Custom
from hy_ndarray.sparse.failed import raised_late

__all__ = ["Custom"]

if TYPE_CHECKING:
    from hy_ndarray.nd._operators.op import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), raised_late, "")
