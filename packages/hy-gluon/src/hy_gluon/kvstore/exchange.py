"""Functions by which a trainer uses a store: broadcast, sum of gradients, and update."""

import os
from collections.abc import Sequence
from typing import Any, TypeAlias

from hy_gluon.kvstore.creation import SHARDED, check_name, create
from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.kvstore.interface import KVStoreBase
from hy_gluon.kvstore.kvstore import KVStore
from hy_ndarray import ArgumentError, NDArray

__all__ = [
    "allreduce",
    "check",
    "check_sparse",
    "choose",
    "clips_norms",
    "fresh_anywhere",
    "is_distributed",
    "is_user_defined",
    "join",
    "update",
]

Arrays: TypeAlias = Sequence[Sequence[NDArray]]
"""Arrays by key, then by context."""


def check(kvstore: Any) -> None:
    """Raise an error unless ``kvstore`` is a store, a known name, or None.

    Raises:
        ArgumentError: ``kvstore`` has another type.
        KVStoreError: No store has that name.
    """
    if isinstance(kvstore, str):
        check_name(kvstore)
    elif kvstore is not None and not isinstance(kvstore, KVStoreBase):
        raise ArgumentError(
            f"kvstore must be a store, its name, or None, not a {type(kvstore).__name__}; "
            "base a store of your own on KVStoreBase"
        )


def check_sparse(kvstore: Any, update_on_kvstore: bool | None) -> None:
    """Raise an error for settings that, as in MXNet, do not support row_sparse parameters.

    Raises:
        ArgumentError: There is no store, or the store shall not update weights.
    """
    if kvstore is None or update_on_kvstore is False:
        # Rows of a row_sparse weight are pulled from the store, so the weight must live there.
        option = "kvstore=None" if kvstore is None else "update_on_kvstore=False"
        raise ArgumentError(
            f"{option}: parameters with stype='row_sparse' are updated on the store; leave it out, "
            "or make dense ones with stype='default'"
        )


def choose(
    kvstore: KVStoreBase | str,
    update_on_kvstore: bool | None,
    by_default: bool,
    scaled: bool = False,
) -> tuple[KVStoreBase, bool]:
    """Return the store, and whether the store updates the weights.

    Args:
        kvstore: A store, or the name of one.
        update_on_kvstore: Requested by the user; None for the default.
        by_default: Default for a store that can update weights.
        scaled: Whether losses are scaled (mixed precision); the default is then False unless the
            store detects overflows on all workers.

    Raises:
        KVStoreError: ``update_on_kvstore`` is true, but the store cannot update weights.
    """
    if isinstance(kvstore, str):
        kvstore = create(kvstore)
    capable = kvstore.is_capable(KVStoreBase.OPTIMIZER)
    updates = update_on_kvstore
    if updates and not capable:
        raise KVStoreError(
            f"Please set update_on_kvstore=False when training with {type(kvstore).__name__}: "
            "it holds no optimizer"
        )
    if updates is None:
        # MXNet's variable, whose default is 1.
        wanted = os.environ.get("MXNET_UPDATE_ON_KVSTORE", "1") not in ("0", "")
        updates = capable and by_default and wanted and (not scaled or kvstore.sees_overflows)
    return kvstore, updates


def is_user_defined(kvstore: KVStoreBase | str | None) -> bool:
    """Return whether ``kvstore`` is, or names, a store other than the built-in :class:`KVStore`.

    The sharded store counts as one.
    """
    if isinstance(kvstore, str):
        return kvstore.lower() in (SHARDED, *KVStoreBase.kv_registry)
    return kvstore is not None and not isinstance(kvstore, KVStore)


def clips_norms(kvstore: KVStoreBase | str | None) -> bool:
    """Return whether a store, or that of a name, clips gradients before it updates weights."""
    if isinstance(kvstore, str):
        return kvstore.lower() == SHARDED
    return kvstore is not None and kvstore.clips_norms


def is_distributed(store: KVStoreBase) -> bool:
    """Return whether a store may have several workers."""
    return "dist" in store.type


def join(store: KVStoreBase, key: int, arrays: Sequence[NDArray]) -> None:
    """Initialise a key from the first array on worker 0, and set all arrays to that value."""
    if isinstance(store, KVStore):
        store._join(key, arrays)
    else:
        store.broadcast(key, arrays[0], list(arrays))


def allreduce(store: KVStoreBase, keys: Sequence[int], grads: Arrays) -> None:
    """Replace all copies of each gradient by their sum over contexts and workers."""
    if isinstance(store, KVStore):
        store._allreduce(keys, grads)
    else:
        for key, copies in zip(keys, grads, strict=True):
            # Lower numbers first: MXNet's priority, which only order-aware stores use.
            store.pushpull(key, list(copies), priority=-key)


def update(store: KVStoreBase, keys: Sequence[int], grads: Arrays, weights: Arrays) -> None:
    """Update weights on the store by summed gradients, and copy them to all contexts."""
    if isinstance(store, KVStore):
        store.push(list(keys), list(grads))
        store.pull(list(keys), list(weights), ignore_sparse=False)
    else:
        store.update_all(keys, grads, weights)


def fresh_anywhere(store: KVStoreBase | None, fresh: Sequence[bool]) -> list[bool]:
    """Return for each flag whether it is set on any worker."""
    return list(fresh) if store is None else store.any_of_workers(fresh)
