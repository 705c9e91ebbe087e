"""Vocabulary: indices of tokens."""

from hy_gluon.contrib.data import Vocabulary

__all__ = ["Vocabulary"]
