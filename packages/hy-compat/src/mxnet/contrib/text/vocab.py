"""Vocabulary: tokens by number, and numbers by token."""

from hy_gluon.contrib.data import Vocabulary

__all__ = ["Vocabulary"]
