"""Stores by name."""

from typing import Literal, TypeAlias, overload

from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.kvstore.interface import KVStoreBase
from hy_gluon.kvstore.kvstore import LOCAL, KVStore
from hy_ndarray import ArgumentError

__all__ = ["check_name", "create"]

_Local: TypeAlias = Literal[
    "local",
    "device",
    "nccl",
    "local_allreduce_cpu",
    "local_allreduce_device",
    "local_update_cpu",
]


@overload
def create(name: _Local = "local") -> KVStore: ...
@overload
def create(name: str) -> KVStoreBase: ...


def create(name: str = "local") -> KVStoreBase:
    """A store by name, in upper or lower case.

    Args:
        name: ``"local"``, ``"device"`` or ``"nccl"``: one process, any number of contexts; or the
            name of a store that was registered with :meth:`KVStoreBase.register`.

    Raises:
        ArgumentError: ``name`` is no text.
        KVStoreError: There is no store of that name.

    Example:
        >>> create("device").type
        'device'
    """
    kind = check_name(name)
    if kind in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[kind]()
    return KVStore(kind)


def check_name(name: str) -> str:
    """The name as it is registered.

    Raises:
        ArgumentError: It is no text.
        KVStoreError: There is no store of that name.
    """
    if not isinstance(name, str):
        raise ArgumentError(f"the name of a store is a text, not a {type(name).__name__}")
    kind = name.lower()
    if kind in KVStoreBase.kv_registry or kind in LOCAL:
        return kind
    known = ", ".join(sorted({*LOCAL, *KVStoreBase.kv_registry}))
    raise KVStoreError(
        f"there is no kvstore {name!r}; known are {known}. One of your own is made known with "
        "KVStoreBase.register"
    )
