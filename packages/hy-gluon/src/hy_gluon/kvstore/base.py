"""MXNet's module ``kvstore.base``: only names that are defined elsewhere."""

from hy_gluon.kvstore.creation import create
from hy_gluon.kvstore.interface import KVStoreBase
from hy_gluon.kvstore.teststore import TestStore

__all__ = ["KVStoreBase", "TestStore", "create"]
