"""Commands ``info`` and ``verify`` for files of arrays."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hy_io._cli_records import damage_rows
from hy_io._errors import ArgumentError, FileFormatError
from hy_io._ndarray_format import Array, StoredArray
from hy_io._opened import ArrayInfo
from hy_io.checkpoint import sha256_of
from hy_io.formats import (
    Contents,
    Format,
    format_of,
    known_formats,
)
from hy_io.record_scan import scan_records
from hy_io.sparse import CSRArray, RowSparseArray
from hy_io.states import load_states
from hy_io.torch_file import load_torch

Rows = list[dict[str, Any]]
Progress = Callable[..., Any]


def form_of(path: str) -> Format:
    """Return the format of a file, by content or suffix.

    Raises:
        ArgumentError: The format is unknown.
    """
    form = format_of(path)
    if form is None:
        endings = ", ".join(end for one in known_formats() for end in one.suffixes)
        raise ArgumentError(f"{path}: its format is not known; known endings: {endings}")
    return form


def contents(path: str, *, sha: bool, progress: Progress, max_expansion: int | None) -> Rows:
    """Return name, shape, dtype, storage, bytes and optionally SHA-256 of each array of a file."""
    form = form_of(path)
    if form.name == "records":
        raise ArgumentError(f"{path} holds records: use `hy-io rec info`")
    if form.open is not None:
        with form.open(path) as file:
            if sha:
                return [_described_row(str(key), file[key]) for key in progress(file, len(file))]
            # An info is read from the header alone; with a checksum the values are needed.
            return [_array_row(str(key), file.info(key)) for key in file]
    arrays = load(path, form, max_expansion).arrays
    items = arrays.items() if isinstance(arrays, Mapping) else enumerate(arrays)
    pairs = progress(items, len(arrays))
    return [_described_row(str(name), array, sha=sha) for name, array in pairs]


def _array_row(name: str, info: ArrayInfo) -> dict[str, Any]:
    shape, storage = list(info.shape), info.storage
    return {
        "name": name,
        "shape": shape,
        "dtype": info.dtype,
        "storage": storage,
        "bytes": info.nbytes,
    }


def _stored_arrays(array: StoredArray) -> tuple[str, list[Array]]:
    if isinstance(array, RowSparseArray):
        return "row_sparse", [array.data, array.indices]
    if isinstance(array, CSRArray):
        return "csr", [array.data, array.indptr, array.indices]
    return "dense", [array]


def _described_row(name: str, array: StoredArray, *, sha: bool = True) -> dict[str, Any]:
    storage, parts = _stored_arrays(array)
    size = sum(part.nbytes for part in parts)
    row = _array_row(name, ArrayInfo(array.shape, array.dtype.name, storage, nbytes=size, offset=0))
    if sha:
        digest = hashlib.sha256()
        for part in parts:
            # Hashed part by part, so that the digest does not depend on how a file lays out its
            # arrays.
            digest.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
        row["sha256"] = digest.hexdigest()
    return row


def load(path: str, form: Format, max_expansion: int | None) -> Contents:
    """Return the arrays of a file in the given format, without a copy if the format allows it."""
    if form.load is None:
        raise ArgumentError(f"{path} holds {form.name}, no arrays that can be converted")
    return form.load(path, copy=False, dense=False, max_expansion=max_expansion)


def verify(
    path: str, sha256: str | None, *, progress: Progress, max_expansion: int | None
) -> dict[str, Any]:
    """Read a whole file, check it, and return a report with the ranges of damaged records."""
    form = form_of(path).name
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
        # Where the reference implementation is installed its reading must agree with ours.
        if form == "safetensors":
            _check_with_package(path)
        elif form == "torch":
            load_torch(path, copy=False, check=True, max_expansion=max_expansion)
    digest = sha256_of(path)
    if sha256 is not None and digest != sha256.lower():
        raise FileFormatError(path, 0, "sha256 of the file", expected=sha256.lower(), found=digest)
    return {"path": path, "format": form, "items": count, "sha256": digest, "damages": damages}


def _check_with_package(path: str) -> None:
    """Read the file with the package ``safetensors`` as well, if that is installed."""
    try:
        from safetensors import SafetensorError, safe_open  # noqa: PLC0415  # an extra
    except ImportError:
        return
    try:
        with safe_open(path, "np") as file:
            file.keys()
    except SafetensorError as error:
        raise FileFormatError(
            path, 0, "safetensors", expected="a file that the package reads", found=str(error)
        ) from None
