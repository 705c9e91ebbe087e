"""Blocks beyond the standard layers, and training with event handlers."""

from hy_gluon.contrib import (
    cnn as cnn,
    data as data,
    estimator as estimator,
    nn as nn,
    rnn as rnn,
)
