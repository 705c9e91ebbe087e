"""Blocks beyond the standard layers."""

from hy_gluon.contrib import data as data, nn as nn, rnn as rnn
