"""Stores of arrays by key: how gradients of several devices and workers come together."""

from hy_gluon.kvstore import base as base, exchange as exchange, kvstore as kvstore
from hy_gluon.kvstore.creation import create as create
from hy_gluon.kvstore.errors import KVStoreError as KVStoreError
from hy_gluon.kvstore.interface import KVStoreBase as KVStoreBase
from hy_gluon.kvstore.kvstore import KVStore as KVStore
