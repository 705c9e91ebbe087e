"""Blocks beyond the standard layers."""

from hy_gluon.contrib import nn as nn
