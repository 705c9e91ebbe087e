"""create: makes a store from its name."""

from importlib import import_module
from typing import Literal, TypeAlias, overload

import hy_gluon.kvstore.teststore  # noqa: F401  # registers its store
from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.kvstore.interface import KVStoreBase
from hy_gluon.kvstore.kvstore import LOCAL, KVStore
from hy_ndarray import ArgumentError
from hy_ndarray.suggestion import hint

__all__ = ["SHARDED", "check_name", "create"]

_Known: TypeAlias = Literal[
    "local",
    "device",
    "nccl",
    "local_allreduce_cpu",
    "local_allreduce_device",
    "local_update_cpu",
    "dist",
    "dist_sync",
    "dist_device_sync",
    "dist_sync_device",
]
_DISTRIBUTED = ("dist", "dist_sync", "dist_device_sync", "dist_sync_device")
"""Names of stores with several workers that hold all parameters each."""
SHARDED = "sharded"
"""Name of the store whose workers share parameters and optimizer states (ZeRO)."""


@overload
def create(name: _Known = "local", *, timeout: float | None = None) -> KVStore: ...
@overload
def create(name: str, *, timeout: float | None = None) -> KVStoreBase: ...


def create(name: str = "local", *, timeout: float | None = None) -> KVStoreBase:
    """Return a new store of the given name, ignoring case.

    Args:
        name: ``"local"``, ``"device"`` or ``"nccl"``: one process, any number of contexts.
            ``"dist_sync"`` or ``"dist_device_sync"``: several processes started by ``torchrun`` or
            MXNet's launcher; a server or scheduler of the latter waits for the workers and then
            exits. ``"sharded"``: several processes that share parameters and optimizer states. Or
            the name of a store registered with :meth:`KVStoreBase.register`.
        timeout: Seconds to wait for other processes; None: ``HY_KVSTORE_TIMEOUT`` of the
            environment, or 1800.

    Raises:
        ArgumentError: ``name`` is not a string.
        KVStoreError: The name is unknown; or several processes are needed, but PyTorch is not
            installed or the environment does not describe them.
        WorkerError: The other processes did not connect in time.

    Example:
        >>> create("device").type
        'device'
    """
    kind = check_name(name)
    # A user's class may have the name of a built-in kind, and is preferred.
    if kind in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[kind]()
    # PyTorch, which connects several workers, is imported only where a store needs it.
    if kind == SHARDED:
        sharded: KVStoreBase = import_module("hy_gluon.kvstore.sharded").create(timeout)
        return sharded
    if kind in _DISTRIBUTED:
        store: KVStoreBase = import_module("hy_gluon.kvstore.distributed").create(kind, timeout)
        return store
    return KVStore(kind)


def check_name(name: str) -> str:
    """Return a store's name in lower case; raise an error if it is unknown.

    Raises:
        ArgumentError: ``name`` is not a string.
        KVStoreError: There is no store of that name.
    """
    if not isinstance(name, str):
        raise ArgumentError(f"the name of a store is a text, not a {type(name).__name__}")
    kind = name.lower()
    if kind in KVStoreBase.kv_registry or kind in LOCAL or kind in (SHARDED, *_DISTRIBUTED):
        return kind
    # MXNet's asynchronous stores need parameter servers, which hy has not.
    if "async" in kind:
        raise KVStoreError(
            f"kvstore {name!r}: workers that do not wait for each other are not supported; use "
            f"{kind.replace('async', 'sync')!r}"
        )
    known = sorted({*LOCAL, *_DISTRIBUTED, SHARDED, *KVStoreBase.kv_registry})
    raise KVStoreError(
        f"there is no kvstore {name!r}; known are {', '.join(known)}; one of your own is made "
        f"known with KVStoreBase.register{hint(name, known)}"
    )
