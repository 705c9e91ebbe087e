"""Arrays and all operators on them, under MXNet's names."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_ndarray.array.ndarray import NDArray as NDArray
from hy_ndarray.custom import Custom as Custom
from hy_ndarray.nd import (
    _internal as _internal,
    contrib as contrib,
    image as image,
    linalg as linalg,
    op as op,
    random as random,
    sparse as sparse,
)
from hy_ndarray.nd._binary import (
    add as add,
    divide as divide,
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    lesser as lesser,
    lesser_equal as lesser_equal,
    logical_and as logical_and,
    logical_or as logical_or,
    logical_xor as logical_xor,
    maximum as maximum,
    minimum as minimum,
    modulo as modulo,
    multiply as multiply,
    not_equal as not_equal,
    power as power,
    subtract as subtract,
    true_divide as true_divide,
)
from hy_ndarray.nd._creation import (
    arange as arange,
    array as array,
    empty as empty,
    eye as eye,
    full as full,
    linspace as linspace,
    ones as ones,
    waitall as waitall,
    zeros as zeros,
)
from hy_ndarray.nd._interchange import (
    from_dlpack as from_dlpack,
    from_numpy as from_numpy,
    to_dlpack_for_read as to_dlpack_for_read,
    to_dlpack_for_write as to_dlpack_for_write,
)
from hy_ndarray.nd._rearranging import (
    concatenate as concatenate,
    histogram as histogram,
    moveaxis as moveaxis,
    onehot_encode as onehot_encode,
    split_v2 as split_v2,
)
from hy_ndarray.sparse.failed import raised_late

if TYPE_CHECKING:
    from hy_ndarray.nd._operators import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), raised_late, "", "nd")
