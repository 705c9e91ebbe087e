"""Key-value stores: sum gradients over devices and workers, and update parameters."""

import typing as _typing
from importlib import import_module as _import_module

from hy_ndarray.suggestion import unknown_attribute as _unknown_attribute

if _typing.TYPE_CHECKING:
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
    from hy_gluon.kvstore.sharded import ShardedKVStore as ShardedKVStore

_MEMBERS = {
    "DistributedKVStore": "distributed",
    "KVStore": "kvstore",
    "KVStoreBase": "base",
    "KVStoreError": "errors",
    "KVStoreServer": "kvstore_server",
    "ShardedKVStore": "sharded",
    "WorkerError": "errors",
    "base": "base",
    "create": "creation",
    "exchange": "exchange",
    "kvstore": "kvstore",
    "kvstore_server": "kvstore_server",
}


def __getattr__(name: str) -> _typing.Any:
    """Return a public name of the package, imported on first use."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name not in _MEMBERS:
        raise _unknown_attribute(f"module {__name__!r}", name, __dir__)
    module = _import_module(f"{__name__}.{_MEMBERS[name]}")
    globals()[name] = value = getattr(module, name, module)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MEMBERS})
