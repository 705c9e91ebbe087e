"""Commands for record files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hy_io._atomic import atomic_write
from hy_io._errors import FileFormatError
from hy_io._paths import open_file
from hy_io.packing import unpack
from hy_io.record_scan import RecordScan, rebuild_index, scan_records

Progress = Callable[..., Any]
# By the first bytes: `pack` stores no format, and names in lists may lie about it.
_IMAGES = {b"\xff\xd8\xff": ".jpg", b"\x89PNG": ".png", b"GIF8": ".gif", b"BM": ".bmp"}


def damage_rows(scan: RecordScan) -> list[dict[str, Any]]:
    """Return the offset, size and reason of each damaged range of a file."""
    return [{"offset": d.offset, "bytes": d.length, "reason": d.reason} for d in scan.damages]


def record_info(path: str, progress: Progress) -> dict[str, Any]:
    """Return the number and sizes of a file's records, and its damaged ranges."""
    scan = scan_records(path)
    sizes = [len(record) for _, record in progress(scan)]
    return {
        "path": path,
        "file_bytes": os.path.getsize(path),  # noqa: PTH202  # a text, for messages
        "records": len(sizes),
        "record_bytes": sum(sizes),
        "smallest": min(sizes, default=0),
        "largest": max(sizes, default=0),
        "damages": damage_rows(scan),
    }


def list_records(path: str, progress: Progress) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return offset, size and header of each record, and the damaged ranges."""
    scan = scan_records(path)
    rows = []
    for offset, record in progress(scan):
        row: dict[str, Any] = {"offset": offset, "bytes": len(record)}
        try:
            header, body = unpack(record)
            label = np.ravel(header.label).tolist()
            row |= {"id": header.id, "label": label, "content": _ending(body)[1:]}
        except FileFormatError:
            row |= {"id": "", "label": "", "content": "raw"}
        rows.append(row)
    return rows, damage_rows(scan)


def _ending(body: bytes) -> str:
    return next((end for begin, end in _IMAGES.items() if body.startswith(begin)), ".bin")


def extract(path: str, folder: str, *, raw: bool, progress: Progress) -> dict[str, Any]:
    """Write each record to a file named by its number, such as ``000042.jpg``."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    scan = scan_records(path)
    count = 0
    for _, record in progress(scan):
        body = record
        if not raw:
            try:
                body = unpack(record)[1]
            except FileFormatError:
                body = record  # not made by `pack`
        # `sweep=False`: looking for stale files before each of N records would list the folder N
        # times.
        with atomic_write(target / f"{count:06d}{_ending(body)}", sweep=False) as file:
            file.write(body)
        count += 1
    return {"path": path, "folder": folder, "records": count, "damages": damage_rows(scan)}


def reindex(path: str, index: str | None, key: Any) -> dict[str, Any]:
    """Rebuild the index of a record file."""
    scan = rebuild_index(path, index, key=key)
    target = str(Path(path).with_suffix(".idx")) if index is None else index
    with open_file(target) as file:
        count = sum(1 for _ in file)
    return {"path": path, "index": target, "records": count, "damages": damage_rows(scan)}
