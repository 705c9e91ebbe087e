"""Command ``im2rec``: makes lists of image files, and record files from the lists."""

import argparse
import os
import random
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hy_io._atomic import atomic_write
from hy_io._errors import ArgumentError, FileFormatError, MissingFileError, NoFolderError
from hy_io._paths import read_file
from hy_io.packing import IRHeader, open_image, pack, pack_img
from hy_io.recordio import MXIndexedRecordIO

# im2rec of MXNet shuffles by `random.seed(100)`: the same folder gives the same list.
_SEED = 100
"""The seed of MXNet's im2rec, so that shuffled lists are the same."""
# Bounds the memory of encoded images when the writer is slower than the threads.
_IMAGES_AHEAD = 4
"""Images encoded ahead, for each thread."""


def add_im2rec_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of MXNet's ``im2rec`` to a parser."""
    parser.add_argument("prefix", help="begin of the names of .lst, .rec and .idx files")
    parser.add_argument("root", help="folder of the images")
    parser.add_argument("--list", action="store_true", help="write lists, else records of lists")
    group = parser.add_argument_group("lists")
    group.add_argument("--exts", nargs="+", default=[".jpeg", ".jpg", ".png"], help="endings")
    group.add_argument("--chunks", type=int, default=1, help="how many lists")
    group.add_argument("--train-ratio", type=float, default=1.0, help="part for training")
    group.add_argument("--test-ratio", type=float, default=0.0, help="part for tests")
    group.add_argument("--recursive", action="store_true", help="folders below, a label for each")
    group.add_argument("--no-shuffle", dest="shuffle", action="store_false", help="in order")
    group = parser.add_argument_group("records")
    group.add_argument("--pass-through", action="store_true", help="pack files as they are")
    group.add_argument("--resize", type=int, default=0, help="new size of the shorter side")
    group.add_argument("--center-crop", action="store_true", help="take the square in the middle")
    group.add_argument("--quality", type=int, default=95, help="JPEG 1 to 100, PNG 0 to 9")
    group.add_argument("--num-thread", type=int, default=1, help="threads that encode")
    group.add_argument("--color", type=int, default=1, choices=[-1, 0, 1], help="1, grey, or as is")
    group.add_argument("--encoding", default=".jpg", choices=[".jpg", ".png"])
    group.add_argument("--pack-label", action="store_true", help="pack all labels of the list")


@dataclass(frozen=True, slots=True)
class _Item:
    number: int
    labels: list[float]
    path: str


def make_lists(options: argparse.Namespace) -> dict[str, Any]:
    """Write list files of the images in a folder; return a report that maps folders to labels."""
    if options.chunks < 1:
        raise ArgumentError(f"--chunks must be at least 1, got {options.chunks}")
    if min(options.train_ratio, options.test_ratio) < 0 or (
        options.train_ratio + options.test_ratio > 1
    ):
        raise ArgumentError(
            f"--train-ratio and --test-ratio must be parts of 1, got {options.train_ratio} and "
            f"{options.test_ratio}"
        )
    items, folders = _list_images(Path(options.root), set(options.exts), options.recursive)
    # A shuffle with a fixed seed is reproducible, which is its purpose here; nothing secret is
    # drawn.
    if options.shuffle:
        random.Random(_SEED).shuffle(items)  # noqa: S311
    size = -(-len(items) // options.chunks)
    written = []
    for chunk in range(options.chunks):
        begin = f"{options.prefix}_{chunk}" if options.chunks > 1 else options.prefix
        for ending, part in _splits(items[chunk * size : (chunk + 1) * size], options):
            _write_list(Path(f"{begin}{ending}.lst"), part)
            written.append(f"{begin}{ending}.lst")
    return {"images": len(items), "lists": written, "folders": folders}


def _list_images(
    root: Path, endings: set[str], recursive: bool
) -> tuple[list[_Item], dict[str, int]]:
    if not root.is_dir():
        raise NoFolderError(f"{root} is no folder of images")
    items: list[_Item] = []
    folders: dict[str, int] = {}
    for folder, below, names in os.walk(root, followlinks=True):
        # `os.walk` follows the order of the file system; sorted in place, so that it descends in
        # order.
        below.sort()
        inside = Path(folder).relative_to(root)
        for name in sorted(names):
            path = inside / name
            if path.suffix.lower() in endings:
                label = folders.setdefault(str(inside), len(folders)) if recursive else 0
                items.append(_Item(len(items), [float(label)], path.as_posix()))
        if not recursive:
            break
    return items, folders


def _splits(items: list[_Item], options: argparse.Namespace) -> Iterator[tuple[str, list[_Item]]]:
    if options.train_ratio == 1:
        yield "", items
        return
    test = int(len(items) * options.test_ratio)
    train = test + int(len(items) * options.train_ratio)
    if options.test_ratio:
        yield "_test", items[:test]
    if options.train_ratio + options.test_ratio < 1:
        yield "_val", items[train:]
    yield "_train", items[test:train]


def _write_list(path: Path, items: list[_Item]) -> None:
    with atomic_write(path) as file:
        for item in items:
            labels = "".join(f"{label:f}\t" for label in item.labels)
            file.write(f"{item.number}\t{labels}{item.path}\n".encode())


def pack_lists(options: argparse.Namespace, progress: Callable[..., Any]) -> dict[str, Any]:
    """Write a record file and an index for each list with the prefix; report skipped lines."""
    prefix = Path(options.prefix)
    if not prefix.parent.is_dir():
        raise MissingFileError(f"{prefix.parent} is not there")
    lists = sorted(
        path
        for path in prefix.parent.iterdir()
        if path.name.startswith(prefix.name) and path.suffix == ".lst"
    )
    if not lists:
        raise MissingFileError(f"there is no {prefix}*.lst; make one with --list")
    done = [_pack_list(path, options, progress) for path in lists]
    return {
        "files": [str(path.with_suffix(".rec")) for path in lists],
        "records": sum(count for count, _ in done),
        "left_out": [error for _, errors in done for error in errors],
    }


def _pack_list(
    path: Path, options: argparse.Namespace, progress: Callable[..., Any]
) -> tuple[int, list[str]]:
    items, errors = _read_list(path)
    if errors and not items:  # no list at all: the records that are there stay
        raise FileFormatError(
            str(path), 0, "list", expected="lines of a list", found=f"none; {errors[0]}"
        )
    count = 0
    # Written beside and moved when whole: what was there is not lost with an interrupted run.
    target = path.with_suffix(".rec")
    parts = [
        (target.with_suffix(f"{end}.part"), target.with_suffix(end)) for end in (".idx", ".rec")
    ]
    try:
        with MXIndexedRecordIO(parts[0][0], parts[1][0], "w") as file:
            for item, record in progress(_encoded(items, options), len(items)):
                if isinstance(record, bytes):
                    file.write_idx(item.number, record)
                    count += 1
                else:
                    errors.append(f"{item.path}: {record}")
        for part, final in parts:
            part.replace(final)
    finally:
        for part, _ in parts:
            part.unlink(missing_ok=True)
    return count, errors


def _read_list(path: Path) -> tuple[list[_Item], list[str]]:
    """Return the items of a list file, and an error message for each malformed line."""
    items, errors = [], []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            key, *labels, name = line.strip().decode().split("\t")
            item = _Item(int(key), labels=[float(label) for label in labels], path=name)
        except ValueError:
            item = None
        if item is not None and item.labels:
            items.append(item)
        else:
            errors.append(
                f"{path.name}, line {number}: expected a number, labels and a path with tabs "
                f"between them, found {line[:60]!r}"
            )
    return items, errors


def _encoded(
    items: list[_Item], options: argparse.Namespace
) -> Iterator[tuple[_Item, bytes | Exception]]:
    """Yield each item with its encoded record or the reason for leaving it out, in order."""
    if options.num_thread <= 1:
        yield from ((item, _record(item, options)) for item in items)
        return
    waiting: deque[tuple[_Item, Future[bytes | Exception]]] = deque()
    with ThreadPoolExecutor(options.num_thread) as pool:
        for item in items:
            waiting.append((item, pool.submit(_record, item, options)))
            if len(waiting) > _IMAGES_AHEAD * options.num_thread:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()


def _record(item: _Item, options: argparse.Namespace) -> bytes | Exception:
    several = options.pack_label and len(item.labels) > 1
    header = IRHeader(0, label=item.labels if several else item.labels[0], id=item.number, id2=0)
    try:
        content = read_file(Path(options.root, item.path))
        if options.pass_through:
            return pack(header, content)
        image = _resized(open_image(content, options.color), options)
        pixels = np.asarray(image)
        # Pillow gives RGB, `pack_img` takes BGR as OpenCV does.
        if pixels.ndim == 3:  # noqa: PLR2004  # blue, green and red
            pixels = pixels[:, :, [2, 1, 0, 3][: pixels.shape[2]]]
        return pack_img(header, pixels, options.quality, options.encoding)
    # The error is the result: threads must not stop because one image of a million is damaged.
    except (OSError, ValueError) as error:
        return error


def _resized(image: Any, options: argparse.Namespace) -> Any:
    """Crop and resize an image of Pillow as the options say."""
    width, height = image.size
    if options.center_crop:
        side = min(width, height)
        left, top = (width - side) // 2, (height - side) // 2
        image = image.crop((left, top, left + side, top + side))
        width, height = image.size
    # The shorter side becomes ``resize``, the longer keeps the aspect ratio, rounded down as MXNet
    # does.
    if not options.resize:
        return image
    short = options.resize
    size = (short, height * short // width) if width < height else (width * short // height, short)
    return image.resize(size, 2)  # bilinear; averages where it shrinks
