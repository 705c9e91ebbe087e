"""Parameter stores, and updates of weights on several devices."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hy_gluon.kvstore import KVStore, create
from hy_gluon.optimizer import Updater
from hy_ndarray import ArgumentError, Context, NDArray

__all__ = [
    "create_kvstore",
    "initialize_kvstore",
    "update_params",
    "update_params_on_kvstore",
]

_PerDevice: TypeAlias = Sequence[Sequence[NDArray | None]]
"""For each parameter an array on each device; None where there is no gradient."""

_MAX_UPDATED_ELEMENTS = 16 * 1024 * 1024
"""Elements of an array from which 'local' stores do not update: sums of it go back instead."""


def create_kvstore(
    kvstore: Any, num_device: int, arg_params: Mapping[str, NDArray]
) -> tuple[Any, bool]:
    """Return the parameter store (None if not needed), and whether it runs the optimizer.

    Args:
        kvstore: None, the type of a store, or a store with ``init``, ``push``, ``pull`` and
            ``set_optimizer``.
        num_device: Number of devices of this process.
        arg_params: The parameters.

    Raises:
        ArgumentError: ``kvstore`` is of another type.
    """
    if kvstore is None:
        return None, False
    on_store = bool(int(os.getenv("MXNET_UPDATE_ON_KVSTORE", "1")))
    if not isinstance(kvstore, str):
        if not all(hasattr(kvstore, name) for name in ("init", "push", "pull")):
            raise ArgumentError(
                f"kvstore must be KVStore, str or None, not {type(kvstore).__name__}; a store has "
                "init, push, pull and set_optimizer"
            )
        return kvstore, on_store and hasattr(kvstore, "set_optimizer")
    if num_device == 1 and "dist" not in kvstore:
        return None, False
    # MXNet's rule for stores on the CPU.
    if kvstore == "local" and any(
        array.size > _MAX_UPDATED_ELEMENTS for array in arg_params.values()
    ):
        on_store = False
    return create(kvstore), on_store


def initialize_kvstore(
    kvstore: Any,
    param_arrays: Sequence[Sequence[NDArray]],
    arg_params: Mapping[str, NDArray],
    param_names: Sequence[str],
    update_on_kvstore: bool,
) -> None:
    """Initialize the store with the parameters, and copy stored values to devices if needed."""
    # Other workers may have begun with other values; those of the first are everyone's.
    pulls = update_on_kvstore or getattr(kvstore, "num_workers", 1) > 1
    for index, (name, arrays) in enumerate(zip(param_names, param_arrays, strict=True)):
        kvstore.init(name, arg_params[name])
        if pulls:
            kvstore.pull(name, out=list(arrays), priority=-index, **_dense_pull_options(kvstore))


def _dense_pull_options(kvstore: Any) -> dict[str, bool]:
    """Return options for pulling row_sparse arrays as well, which are complete on every device."""
    return {"ignore_sparse": False} if isinstance(kvstore, KVStore) else {}


def update_params_on_kvstore(
    param_arrays: Sequence[Sequence[NDArray]],
    grad_arrays: _PerDevice,
    kvstore: Any,
    param_names: Sequence[str],
) -> None:
    """Push all gradients to the store, which updates the weights, and pull the weights."""
    rows = [
        (name, list(grads), list(weights))
        for name, grads, weights in zip(param_names, grad_arrays, param_arrays, strict=True)
        if grads[0] is not None
    ]
    if not rows:
        return
    if isinstance(kvstore, KVStore):  # takes all at once, and so updates all at once
        names, grads, weights = (list(column) for column in zip(*rows, strict=True))
        kvstore.push(names, grads)
        kvstore.pull(names, out=weights, **_dense_pull_options(kvstore))
        return
    for index, (name, own, targets) in enumerate(rows):
        # Front layers first: the next forward pass needs them first.
        kvstore.push(name, own, priority=-index)
        kvstore.pull(name, out=targets, priority=-index)


def update_params(
    param_arrays: Sequence[Sequence[NDArray]],
    grad_arrays: _PerDevice,
    updater: Updater,
    num_device: int,
    kvstore: Any = None,
    param_names: Sequence[str] | None = None,
) -> None:
    """Update the weights on every device by the sum of all devices' gradients.

    Args:
        param_arrays: For each parameter, the weight on each device.
        grad_arrays: For each parameter, the gradient on each device.
        updater: Called once per device (and context) with lists of indices, gradients and weights;
            the weight of parameter ``i`` on device ``k`` has the index ``i * num_device + k``.
        num_device: Number of devices.
        kvstore: Store that sums the gradients; None to sum without a store.
        param_names: Keys in the store; numbers if None.
    """
    rows: dict[tuple[int, Context], list[tuple[int, NDArray, NDArray]]] = {}
    for index, (weights, grads) in enumerate(zip(param_arrays, grad_arrays, strict=True)):
        present = [grad for grad in grads if grad is not None]
        if not present:
            continue
        if kvstore is not None:
            key = index if param_names is None else param_names[index]
            kvstore.push(key, present, priority=-index)
            kvstore.pull(key, out=present, priority=-index)
        elif num_device > 1:
            present = _sums(present)
        for k, (weight, grad) in enumerate(zip(weights, present, strict=True)):
            own = rows.setdefault((k, weight.context), [])
            # Each device has its own state for a parameter, under MXNet's number.
            own.append((index * num_device + k, grad, weight))
    # One call for each device, so that the updater can update all weights by one kernel.
    for _, own in sorted(rows.items(), key=lambda row: row[0][0]):
        numbers, gradients, weights = (list(column) for column in zip(*own, strict=True))
        updater(numbers, gradients, weights)


def _sums(grads: Sequence[NDArray]) -> list[NDArray]:
    """Return the sum of gradients, as one array on each gradient's device."""
    total = grads[0]
    for grad in grads[1:]:
        total = total + grad.as_in_context(total.context)
    return [total.as_in_context(grad.context) for grad in grads]
