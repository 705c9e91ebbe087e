"""Initializers of parameters, selected by name, by pattern or by object."""

from hy_gluon.initializer.base import (
    InitDesc as InitDesc,
    Initializer as Initializer,
    InitializerError as InitializerError,
    alias as alias,
    check as check,
    create as create,
    register as register,
    registered as registered,
)
from hy_gluon.initializer.combined import Load as Load, Mixed as Mixed
from hy_gluon.initializer.constant import (
    Bilinear as Bilinear,
    Constant as Constant,
    LSTMBias as LSTMBias,
    One as One,
    Zero as Zero,
)
from hy_gluon.initializer.random import (
    MSRAPrelu as MSRAPrelu,
    Normal as Normal,
    Orthogonal as Orthogonal,
    Uniform as Uniform,
    Xavier as Xavier,
)
from hy_gluon.initializer.rnn import FusedRNN as FusedRNN
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
