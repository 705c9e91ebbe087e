"""MXNet's ``gluon.contrib``: further layers and cells, datasets, and the estimator."""

from hy_gluon.contrib import (
    cnn as cnn,
    data as data,
    estimator as estimator,
    nn as nn,
    rnn as rnn,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
