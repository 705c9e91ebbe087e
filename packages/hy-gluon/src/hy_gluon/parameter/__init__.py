"""Parameters, and dictionaries of parameters."""

from hy_gluon.parameter.constant import Constant as Constant
from hy_gluon.parameter.dictionary import ParameterDict as ParameterDict
from hy_gluon.parameter.errors import (
    DeferredInitializationError as DeferredInitializationError,
    MismatchError as MismatchError,
    StorageError as StorageError,
    UninitializedError as UninitializedError,
    UnknownConstantError as UnknownConstantError,
    UnknownShapeError as UnknownShapeError,
)
from hy_gluon.parameter.parameter import Parameter as Parameter
from hy_ndarray import NDArray
from hy_ndarray.suggestion import suggest_members as _suggest_members
from hy_symbol import Symbol

# Two names that programs import from MXNet's module.
tensor_types = (Symbol, NDArray)
"""Classes of the arguments of blocks."""

_suggest_members(globals())
