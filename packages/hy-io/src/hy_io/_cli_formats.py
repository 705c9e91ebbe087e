"""What the command does with files of arrays: tell, convert and verify."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hy_io._atomic import atomic_write
from hy_io._cli_records import damage_rows
from hy_io._errors import ArgumentError, FileFormatError
from hy_io._ndarray_format import Array, StoredArray
from hy_io._paths import read_file
from hy_io.checkpoint import sha256_of
from hy_io.ndarray_file import open_ndarrays
from hy_io.ndarray_list import load_ndarrays, save_ndarrays
from hy_io.npz import load_npz, save_npz
from hy_io.record_scan import scan_records
from hy_io.safetensors import load_safetensors, save_safetensors
from hy_io.sniffing import kind_of_file
from hy_io.sparse import CSRArray, RowSparseArray
from hy_io.states import convert_pickled_states, load_states
from hy_io.torch_file import load_torch, save_torch

__all__ = ["FORMATS", "Rows", "contents", "convert", "form_of", "verify"]

Rows = list[dict[str, Any]]
Progress = Callable[..., Any]
Named = Mapping[str, StoredArray] | list[StoredArray]
FORMATS = (".params", ".safetensors", ".pt", ".npz")
_ENDINGS = {
    ".params": "params",
    ".nd": "params",
    ".safetensors": "safetensors",
    ".pt": "torch",
    ".pth": "torch",
    ".npz": "npz",
    ".states": "states",
    ".rec": "records",
    ".npy": "npz",
}


def form_of(path: str) -> str:
    """The format of a file, by its first bytes, or else by its ending."""
    ending = Path(path).suffix.lower()
    kind = kind_of_file(path)
    form = None if kind is None else kind.form
    if form == "zip" and _ENDINGS.get(ending) == "torch":
        return "torch"
    if form == "params" and ending == ".states":
        return "states"
    if form in _ENDINGS.values():
        return str(form)
    if ending not in _ENDINGS:
        raise ArgumentError(
            f"{path}: its format is not known; known endings: {', '.join(_ENDINGS)}"
        )
    return _ENDINGS[ending]


def contents(path: str, *, sha: bool, progress: Progress, max_expansion: int | None) -> Rows:
    """A row for each array of a file."""
    form = form_of(path)
    if form == "records":
        raise ArgumentError(f"{path} holds records: use `hy-io rec info`")
    if form == "params" and not sha:
        with open_ndarrays(path) as file:
            return [
                _row(str(key), info.shape, info.dtype, info.storage, info.nbytes)
                for key, info in ((key, file.info(key)) for key in file)
            ]
    if form in {"params", "states"}:
        with open_ndarrays(path) as file:
            return [_described(str(key), file[key], sha=sha) for key in progress(file, len(file))]
    arrays = _load(path, form, max_expansion)[0]
    items = arrays.items() if isinstance(arrays, Mapping) else enumerate(arrays)
    pairs = progress(items, len(arrays))
    return [_described(str(name), array, sha=sha) for name, array in pairs]


def _row(name: str, shape: tuple[int, ...], dtype: str, storage: str, size: int) -> dict[str, Any]:
    return {"name": name, "shape": list(shape), "dtype": dtype, "storage": storage, "bytes": size}


def _parts(array: StoredArray) -> tuple[str, list[Array]]:
    if isinstance(array, RowSparseArray):
        return "row_sparse", [array.data, array.indices]
    if isinstance(array, CSRArray):
        return "csr", [array.data, array.indptr, array.indices]
    return "dense", [array]


def _described(name: str, array: StoredArray, *, sha: bool) -> dict[str, Any]:
    storage, parts = _parts(array)
    size = sum(part.nbytes for part in parts)
    row = _row(name, array.shape, array.dtype.name, storage, size)
    if sha:
        digest = hashlib.sha256()
        for part in parts:
            digest.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
        row["sha256"] = digest.hexdigest()
    return row


def convert(
    source: str,
    target: str,
    *,
    symbol: str | None,
    allow_pickle: bool,
    progress: Progress,
    max_expansion: int | None,
) -> dict[str, Any]:
    """Write what ``source`` holds in the format of ``target``."""
    to = _ENDINGS.get(Path(target).suffix.lower())
    if to == "states" or Path(source).suffix.lower() == ".states":
        return _convert_states(source, target, allow_pickle, max_expansion)
    if to not in {"params", "safetensors", "torch", "npz"}:
        raise ArgumentError(f"convert: the ending of {target} must be one of {', '.join(FORMATS)}")
    form = form_of(source)
    arrays, graph, np_shape = _load(source, form, max_expansion)
    if to != "safetensors" and symbol is not None and graph is None:
        raise ArgumentError(f"convert: {source} has no graph to write to {symbol}")
    if to == "safetensors":
        text = graph if symbol is None else read_file(symbol).decode()
        save_safetensors(target, _dense(arrays), symbol=text, np_shape=np_shape)
    elif to == "params":
        save_ndarrays(target, arrays, np_shape=np_shape)
    elif to == "torch":
        save_torch(target, _named(source, _dense(arrays)))
    else:
        dense = _dense(arrays)
        pairs = dense.items() if isinstance(dense, dict) else enumerate(dense)
        save_npz(target, progress(pairs, len(dense)))
    if to != "safetensors" and symbol is not None and graph is not None:
        with atomic_write(symbol) as file:
            file.write(graph.encode())
    return {"source": source, "target": target, "from": form, "to": to, "arrays": len(arrays)}


def _convert_states(
    source: str, target: str, allow_pickle: bool, max_expansion: int | None
) -> dict[str, Any]:
    if not allow_pickle:
        raise ArgumentError(
            f"convert: states of MXNet, as perhaps {source}, are pickles; say --allow-pickle to "
            "read them (nothing of them is run)"
        )
    convert_pickled_states(source, target, max_expansion=max_expansion)
    with open_ndarrays(target) as file:
        count = len(file) - 1
    return {"source": source, "target": target, "from": "pickle", "to": "states", "arrays": count}


def _dense(arrays: Named) -> dict[str, Array] | list[Array]:
    def one(name: object, array: StoredArray) -> Array:
        if not isinstance(array, np.ndarray):
            raise ArgumentError(
                f"convert: array {name!r} is sparse, which only .params files hold; load it and "
                "call to_dense()"
            )
        return array

    if isinstance(arrays, Mapping):
        return {name: one(name, array) for name, array in arrays.items()}
    return [one(index, array) for index, array in enumerate(arrays)]


def _named(source: str, arrays: dict[str, Array] | list[Array]) -> dict[str, Array]:
    if isinstance(arrays, dict):
        return arrays
    raise ArgumentError(f"convert: {source} holds arrays without names, which PyTorch's files need")


def _load(path: str, form: str, max_expansion: int | None) -> tuple[Named, str | None, bool | None]:
    """Arrays, the graph, and whether the file is in numpy semantics."""
    if form in {"params", "states"}:
        with open_ndarrays(path) as file:
            np_shape = file.np_shape
        return load_ndarrays(path, copy=False), None, np_shape
    if form == "safetensors":
        content = load_safetensors(path, copy=False)
        arrays: Any = content.arrays
        return arrays, content.symbol, content.np_shape
    if form == "torch":
        return load_torch(path, copy=False, max_expansion=max_expansion), None, None
    if form == "npz":
        return dict(load_npz(path, copy=False, max_expansion=max_expansion)), None, None
    raise ArgumentError(f"{path} holds {form}, no arrays that can be converted")


def verify(
    path: str, sha256: str | None, *, progress: Progress, max_expansion: int | None
) -> dict[str, Any]:
    """Read all of a file; damaged records are listed, any other damage raises."""
    form = form_of(path)
    damages: Rows = []
    if form == "records":
        scan = scan_records(path)
        count = sum(1 for _ in progress(scan))
        damages = damage_rows(scan)
    elif form == "states":
        load_states(path)
        count = 1
    else:
        rows = contents(path, sha=True, progress=progress, max_expansion=max_expansion)
        count = len(rows)
        if form == "safetensors":
            _ask_package(path)
        elif form == "torch":
            load_torch(path, copy=False, check=True, max_expansion=max_expansion)
    digest = sha256_of(path)
    if sha256 is not None and digest != sha256.lower():
        raise FileFormatError(path, 0, "sha256 of the file", sha256.lower(), digest)
    return {"path": path, "format": form, "items": count, "sha256": digest, "damages": damages}


def _ask_package(path: str) -> None:
    """A second opinion, if the package ``safetensors`` is there."""
    try:
        from safetensors import SafetensorError, safe_open  # noqa: PLC0415  # an extra
    except ImportError:
        return
    try:
        with safe_open(path, "np") as file:
            file.keys()
    except SafetensorError as error:
        raise FileFormatError(
            path, 0, "safetensors", "a file that the package reads", str(error)
        ) from None
