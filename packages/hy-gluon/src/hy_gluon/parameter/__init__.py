"""Parameters and dictionaries of them."""

from hy_gluon.parameter.dictionary import ParameterDict as ParameterDict
from hy_gluon.parameter.single import (
    Constant as Constant,
    DeferredInitializationError as DeferredInitializationError,
    MismatchError as MismatchError,
    Parameter as Parameter,
    UninitializedError as UninitializedError,
)
