"""The operator catalogue: importing this package declares every operator."""

from hy_ndarray.ops import (
    arithmetic as arithmetic,
    axes as axes,
    broadcast as broadcast,
    compare as compare,
    creation as creation,
    decomposition as decomposition,
    elementwise as elementwise,
    expanding as expanding,
    exponential as exponential,
    indexing as indexing,
    joining as joining,
    linalg as linalg,
    loss as loss,
    ordering as ordering,
    products as products,
    reduce as reduce,
    rounding as rounding,
    sampling as sampling,
    scalar as scalar,
    shaping as shaping,
    slicing as slicing,
    statistics as statistics,
    trigonometry as trigonometry,
)
from hy_ndarray.ops._schema import (
    Bound as Bound,
    Gradient as Gradient,
    Operator as Operator,
    OperatorFunction as OperatorFunction,
    Saved as Saved,
    exists as exists,
    find as find,
    names as names,
    operator as operator,
    operators as operators,
)
from hy_ndarray.ops._types import PartialShape as PartialShape, TensorType as TensorType
from hy_ndarray.ops.nn import (
    activation as activation,
    conv as conv,
    dense as dense,
    dropout as dropout,
    norm as norm,
    pool as pool,
    softmax as softmax,
)
