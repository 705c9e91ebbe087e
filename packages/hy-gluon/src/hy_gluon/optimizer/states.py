"""Optimizer states as bytes that hold numbers and text only: reading them runs no code.

The bytes are an NDArray list, as of ``.params`` files. Its first array is UTF-8 text, JSON that
says how the others belong together; its name ends in the checksum of everything else.
"""

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon import lr_scheduler
from hy_gluon.optimizer.optimizer import Optimizer
from hy_io import FileFormatError, dumps_ndarrays, loads_ndarrays
from hy_ndarray import HyError, NDArray, cpu, nd

__all__ = ["StatesError", "dump_optimizer", "dumps", "load_optimizer", "loads"]

_HEADER = "hy.optimizer_states"


class StatesError(HyError, ValueError):
    """States cannot be written, or what was read is no states of this optimizer."""


def dumps(value: Any) -> bytes:
    """Arrays, numbers and texts, in any nesting of tuples, lists and dictionaries.

    Raises:
        StatesError: There is something else; names where.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    text = json.dumps(_encoded(value, arrays, "states")).encode()
    header = f"{_HEADER}:{_checksum(text, arrays):08x}"
    return dumps_ndarrays({header: np.frombuffer(text, np.uint8), **arrays})


def _checksum(text: bytes, arrays: Mapping[str, npt.NDArray[Any]]) -> int:
    """Over everything: a changed number in a state would otherwise pass as a number."""
    total = zlib.crc32(text)
    for name in sorted(arrays):
        array = arrays[name]
        total = zlib.crc32(f"{name} {array.dtype.name} {array.shape}".encode(), total)
        total = zlib.crc32(array.tobytes(), total)
    return total


def _encoded(value: Any, arrays: dict[str, npt.NDArray[Any]], where: str) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, NDArray):
        name = str(len(arrays))
        arrays[name] = value.asnumpy()
        return {"array": name}
    if isinstance(value, list | tuple):
        items = [_encoded(x, arrays, f"{where}[{i}]") for i, x in enumerate(value)]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, dict) and all(isinstance(key, int | str) for key in value):
        return {"dict": [[k, _encoded(x, arrays, f"{where}[{k!r}]")] for k, x in value.items()]}
    if isinstance(value, lr_scheduler.LRScheduler):
        return {
            "schedule": type(value).__name__,
            "values": _encoded(dict(vars(value)), arrays, where),
        }
    raise StatesError(
        f"{where} is a {type(value).__name__}, which cannot be saved: only arrays, numbers, texts, "
        "and tuples, lists and dictionaries of them can. Leave it out in __getstate__"
    )


def loads(data: bytes, scheduler: lr_scheduler.LRScheduler | None = None) -> Any:
    """What :func:`dumps` wrote.

    Args:
        data: The bytes.
        scheduler: Takes the values of a saved schedule of its class.

    Raises:
        StatesError: They are damaged, or something else.
    """
    if data[:1] == b"\x80":
        raise StatesError(
            "these states are a Python pickle, as MXNet writes them; hy does not read pickles, "
            "which can run any code. `hy-io convert --allow-pickle OLD NEW` makes a file that hy "
            "reads, without running any; or train on from the parameters with fresh states"
        )
    try:
        arrays = loads_ndarrays(data)
    except FileFormatError as error:
        raise StatesError(f"the optimizer states are damaged: {error}") from error
    if not isinstance(arrays, dict):
        raise StatesError("these arrays are no optimizer states")
    dense = {name: np.asarray(array) for name, array in arrays.items()}
    header = next((name for name in dense if name.startswith(f"{_HEADER}:")), None)
    if header is None:
        raise StatesError("these arrays are no optimizer states")
    text = dense.pop(header).tobytes()
    if header != f"{_HEADER}:{_checksum(text, dense):08x}":
        raise StatesError("the optimizer states are damaged: their checksum is another")
    return _Decoder(dense, scheduler).value(json.loads(text))


class _Decoder:
    def __init__(self, arrays: dict[str, Any], scheduler: lr_scheduler.LRScheduler | None) -> None:
        self._arrays = arrays
        self._scheduler = scheduler

    def value(self, item: Any) -> Any:
        if isinstance(item, list):
            return [self.value(x) for x in item]
        if not isinstance(item, dict):
            return item
        if "array" in item:
            values = self._arrays[item["array"]]
            return nd.array(values, ctx=cpu(), dtype=values.dtype)
        if "tuple" in item:
            return tuple(self.value(x) for x in item["tuple"])
        if "dict" in item:
            return {key: self.value(x) for key, x in item["dict"]}
        return self._schedule(item["schedule"], self.value(item["values"]))

    def _schedule(self, name: str, values: dict[str, Any]) -> lr_scheduler.LRScheduler:
        schedule = self._scheduler
        if schedule is None or type(schedule).__name__ != name:
            if name not in lr_scheduler.__all__:
                raise StatesError(
                    f"the states hold a learning-rate schedule {name}, which is not hy's own; make "
                    "the optimizer with one, and load the states then"
                )
            kind = getattr(lr_scheduler, name)
            schedule = kind.__new__(kind)
        schedule.__dict__.update(values)
        return schedule


def dump_optimizer(optimizer: Optimizer) -> dict[str, Any]:
    """The settings and counts of an optimizer, for :func:`dumps`."""
    return {"name": type(optimizer).__name__.lower(), "values": optimizer.__getstate__()}


def load_optimizer(saved: dict[str, Any], present: Optimizer) -> Optimizer:
    """An optimizer with saved settings: ``present`` itself, if it is of the saved kind.

    Raises:
        StatesError: No optimizer of the saved kind is registered.
    """
    name = saved["name"]
    if type(present).__name__.lower() != name:
        kind = Optimizer.opt_registry.get(name)
        if kind is None:
            known = ", ".join(sorted(Optimizer.opt_registry))
            raise StatesError(f"the states are of an optimizer {name!r}, not one of {known}")
        present = kind.__new__(kind)
    present.__setstate__(saved["values"])
    counts = present._all_index_update_counts
    present._index_update_count = counts.setdefault(min(counts, default=0), {})
    return present
