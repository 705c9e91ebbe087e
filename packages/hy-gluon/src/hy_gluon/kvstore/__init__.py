"""Stores of arrays by key: how gradients of several devices and workers come together."""

from hy_gluon.kvstore import (
    base as base,
    exchange as exchange,
    kvstore as kvstore,
    kvstore_server as kvstore_server,
)
from hy_gluon.kvstore.creation import create as create
from hy_gluon.kvstore.distributed import DistributedKVStore as DistributedKVStore
from hy_gluon.kvstore.errors import KVStoreError as KVStoreError, WorkerError as WorkerError
from hy_gluon.kvstore.interface import KVStoreBase as KVStoreBase
from hy_gluon.kvstore.kvstore import KVStore as KVStore
from hy_gluon.kvstore.kvstore_server import KVStoreServer as KVStoreServer
