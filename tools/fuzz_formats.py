"""Fuzzed formats: whole files, the function that reads them, and the errors it may raise."""

import gzip
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from hy_gluon import Parameter, Trainer
from hy_io import (
    FileFormatError,
    IRHeader,
    MXIndexedRecordIO,
    MXRecordIO,
    StoredArray,
    dumps_ndarrays,
    load_checkpoint,
    load_idx,
    load_ndarrays,
    load_npz,
    load_safetensors,
    load_torch,
    loads_ndarrays,
    loads_states,
    open_ndarrays,
    pack,
    read_pickled_states,
    save_safetensors,
    scan_records,
    unpack,
    unpack_img,
)
from hy_ndarray import HyError, autograd, nd, npx
from tools import fuzz_onnx, fuzz_pickles
from tools.fuzz_inputs import damaged

__all__ = ["DATA", "EXPANSION", "REFUSALS", "Format", "corpus"]

DATA = Path(__file__).parents[1] / "tests" / "io" / "data"
REFUSALS = (FileFormatError, HyError)
EXPANSION = 1 << 25
"""What files may expand to while they are fuzzed, in bytes: an image takes five times that."""
_LARGE = 8000  # bytes, from which on damage mostly hits values


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Args:
        wholes: Whole files, or the parts of files that are damaged.
        read: Reads a damaged file.
        seal: Makes a file of a damaged part, with checksums that fit; else most damage would
            stop at these.
        draw: Makes a part by a grammar; without one, parts are damaged whole ones.
    """

    wholes: list[bytes]
    read: Callable[[Path], object]
    seal: Callable[[bytes], bytes] = bytes
    draw: Callable[[random.Random], bytes] | None = None

    def parts(self, seed: int, count: int) -> Iterator[bytes]:
        """``count`` parts, each with a seed of its own: ``seed``, ``seed + 1`` and so on."""
        if self.draw is None:
            return damaged(self.wholes, seed, count)
        chances = (random.Random(own) for own in range(seed, seed + count))  # noqa: S311
        return map(self.draw, chances)


def read_params(path: Path) -> None:
    """Read all arrays at once, and one after another."""
    try:
        load_ndarrays(path)
    finally:
        with open_ndarrays(path) as file:
            for key in file:
                file[key]


def read_records(path: Path) -> None:
    """Strictly; the scan must not raise at all."""
    for _ in scan_records(path):
        pass
    with MXRecordIO(path, "r") as file:
        for record in file:
            try:
                unpack(record)
            except FileFormatError:
                continue


def read_index(path: Path) -> None:
    """Read every key of a damaged index to a whole file."""
    with MXIndexedRecordIO(path, DATA / "recordio" / "packed.rec", "r") as file:
        for key in file.keys:
            file.read_idx(key)


def read_pickle(path: Path) -> None:
    """MXNet's states."""
    read_pickled_states(path.read_bytes(), str(path))


def read_manifest(path: Path) -> None:
    """Read a damaged manifest of a whole checkpoint."""
    (path.parent / "net-0000.sha256").write_bytes(path.read_bytes())
    load_checkpoint(path.parent / "net", 0)


def read_numpy(path: Path) -> None:
    """Read a file as numpy arrays, as views, and as a user of hy loads it."""
    try:
        load_npz(path, copy=False)
    finally:
        load_npz(path)
        npx.load(str(path))


def read_image(path: Path) -> None:
    """Read an image by both decoders, in colours, grey and as stored; each may refuse it."""
    content = path.read_bytes()
    buffer = nd.array(np.frombuffer(content, np.uint8), dtype="uint8")
    refused: list[BaseException] = []
    for work in (
        lambda: unpack_img(pack(IRHeader(flag=0, label=0.0, id=0, id2=0), content), -1),
        lambda: unpack_img(pack(IRHeader(flag=0, label=0.0, id=0, id2=0), content), 1),
        lambda: nd._internal._cvimdecode(buffer),
        lambda: nd._internal._cvimdecode(buffer, flag=0),
    ):
        try:
            work()
        except REFUSALS as error:
            refused.append(error)
    if refused:
        raise refused[0]


def trainer(name: str) -> Trainer:
    """Return a trainer after one step."""
    weight = Parameter("weight", shape=(2,))
    weight.initialize("ones")
    fresh = Trainer([weight], name, {"learning_rate": 0.5})
    _train_one_step(fresh)
    return fresh


def _train_one_step(fresh: Trainer) -> None:
    (weight,) = fresh._params
    with autograd.record():
        loss = (weight.data() * weight.data()).sum()
    loss.backward()
    fresh.step(1)


def read_states(path: Path) -> None:
    """With a trainer, which is as before if the file is refused, and takes a step if not."""
    fresh = trainer("sgd")
    before = repr(vars(fresh.optimizer)), repr(fresh._updaters[0].states)
    try:
        fresh.load_states(str(path))
    except REFUSALS:
        if before != (repr(vars(fresh.optimizer)), repr(fresh._updaters[0].states)):
            raise AssertionError("a refused file has changed the trainer") from None
        raise
    _train_one_step(fresh)


def sealed_states(text: bytes) -> bytes:
    """Return a file of states with this structure and a checksum that fits."""
    values, structure = np.ones(2, np.float32), np.frombuffer(text, np.uint8)
    named: dict[str, StoredArray] = {"hy.optimizer_states:00000000": structure, "0": values}
    try:
        loads_states(dumps_ndarrays(named))
    except FileFormatError as error:
        named = {error.found: structure, "0": values}
    return dumps_ndarrays(named)


def sealed_png(content: bytes) -> bytes:
    """Return the chunks of a PNG with the checksums that fit."""
    done, at = bytearray(content[:8]), 8
    while at + 8 <= len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        body = content[at + 4 : at + 8 + size]
        done += content[at : at + 4] + body
        if len(body) == size + 4:
            done += struct.pack(">I", zlib.crc32(body))
        at += 12 + size
    return bytes(done) + content[at:]


def sealed_npz(content: bytes) -> bytes:
    """Return an archive of one damaged array."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", content)
    return file.getvalue()


def sealed_torch(content: bytes) -> bytes:
    """Return a file of PyTorch's with a damaged pickle, and the storages of a whole one."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(DATA / "torch" / "views.pt") as whole,
        zipfile.ZipFile(file, "w") as archive,
    ):
        archive.writestr("views/data.pkl", content)
        for index in range(4):
            archive.writestr(f"views/data/{index}", whole.read(f"views/data/{index}"))
    return file.getvalue()


def _torch() -> tuple[list[bytes], list[bytes]]:
    """Return PyTorch's files, and one of their pickles."""
    files = [(DATA / "torch" / f"{name}.pt").read_bytes() for name in ("module", "views")]
    with zipfile.ZipFile(DATA / "torch" / "views.pt") as whole:
        return files, [whole.read("views/data.pkl")]


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(save: Callable[..., None]) -> bytes:
    file = io.BytesIO()
    save(file, a=np.arange(6.0).reshape(2, 3), b=np.ones(3, np.float16), c=np.zeros((0, 2), bool))
    return file.getvalue()


def _images(kind: str, modes: str, **options: Any) -> list[bytes]:
    rng = np.random.default_rng(0)
    contents = []
    for mode in modes.split():
        channels = len(Image.new(mode, (1, 1)).getbands())
        shape = (9, 12) if channels == 1 else (9, 12, channels)
        pixels = Image.fromarray(rng.integers(0, 255, shape, np.uint8).squeeze(), None)
        file = io.BytesIO()
        pixels.convert(mode).save(file, kind, **options)
        contents.append(file.getvalue())
    return contents


def _states(folder: Path) -> tuple[list[bytes], list[bytes]]:
    """Files of trainers, and their structures alone, which speak of one array."""
    files, texts = [], []
    for name in ("sgd", "adam", "nadam", "lbsgd"):
        trainer(name).save_states(str(folder / "states"))
        content = (folder / "states").read_bytes()
        arrays = loads_ndarrays(content)
        assert isinstance(arrays, dict)
        files.append(content)
        texts.append(bytes(np.asarray(next(iter(arrays.values())))))
    schedule = {"schedule": "FactorScheduler", "values": {"dict": [["step", 1], ["base_lr", 1.0]]}}
    values = {"dict": [["lr", 0.1], ["num_update", 3], ["lr_scheduler", schedule]]}
    optimizer = {"dict": [["name", "sgd"], ["values", values]]}
    states = {"dict": [[0, {"array": "0"}]]}
    texts.append(json.dumps({"dict": [["states", states], ["optimizer", optimizer]]}).encode())
    return files, texts


def _idx() -> list[bytes]:
    """Images of bytes and numbers of two dtypes, plain and compressed."""
    plain = [
        bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]) + bytes(range(24)),
        bytes([0, 0, 11, 1, 0, 0, 0, 3]) + bytes(range(6)),
        bytes([0, 0, 14, 2, 0, 0, 0, 1, 0, 0, 0, 2]) + bytes(range(16)),
    ]
    return [*plain, gzip.compress(plain[0], mtime=0)]


def corpus(folder: Path) -> dict[str, Format]:
    """Return the formats; ``folder`` is for files that stay whole."""
    scratch = folder / "whole"
    save_safetensors(
        scratch,
        {
            "a": np.arange(6.0).reshape(2, 3),
            "b": np.ones(3, np.float16),
            "c": np.zeros((0, 2), bool),
        },
        symbol='{"nodes": []}',
    )
    tensors = scratch.read_bytes()
    (folder / "net-0000.params").write_bytes((DATA / "block.params").read_bytes())
    names = ("*.nd", "*.params", "*.v0")
    params = [path.read_bytes() for name in names for path in sorted(DATA.glob(name))]
    sparse = [path.read_bytes() for path in sorted(DATA.glob("sparse_*.nd"))]
    records = [(DATA / "recordio" / f"{n}.rec").read_bytes() for n in ("packed", "indexed", "raw")]
    pickles = [path.read_bytes() for path in sorted((DATA / "states").glob("*.states"))]
    digest = b"ab" * 32 + b"  net-0000.params\n"
    states, texts = _states(folder)
    arrays = [_npy(array) for array in (np.ones((2, 3)), np.arange(3) > 1, np.array(1, ">i4"))]
    pngs = _images("PNG", "RGB L P RGBA 1")
    modules, inside = _torch()
    return {
        "params": Format([content for content in params if len(content) < _LARGE], read_params),
        "sparse": Format(sparse, lambda path: nd.load(str(path))),
        "records": Format(records, read_records),
        "index": Format([(DATA / "recordio" / "packed.idx").read_bytes()], read_index),
        "packed": Format(
            [pack(IRHeader(flag=0, label=[1, 2, 3], id=7, id2=0), b"body")],
            lambda path: unpack(path.read_bytes()),
        ),
        "safetensors": Format([tensors], load_safetensors),
        "torch": Format(modules, load_torch),
        "torch-sealed": Format(inside, load_torch, seal=sealed_torch),
        "torch-drawn": Format(inside, load_torch, seal=sealed_torch, draw=fuzz_pickles.tensors),
        "states": Format(states, read_states),
        "states-sealed": Format(texts, read_states, seal=sealed_states),
        "states-pickled": Format(pickles, read_states),
        "pickle": Format(pickles, read_pickle),
        "states-drawn": Format(pickles, read_states, draw=fuzz_pickles.states),
        "pickle-drawn": Format(pickles, read_pickle, draw=fuzz_pickles.states),
        "manifest": Format([digest], read_manifest),
        "npz": Format([_npz(np.savez), _npz(np.savez_compressed)], read_numpy),
        "npz-sealed": Format(arrays, read_numpy, seal=sealed_npz),
        "npy": Format(arrays, read_numpy),
        "idx": Format(_idx(), load_idx),
        "jpeg": Format(_images("JPEG", "RGB L CMYK"), read_image),
        "png": Format(pngs, read_image),
        "png-sealed": Format(pngs, read_image, seal=sealed_png),
        "bmp": Format(_images("BMP", "RGB L 1"), read_image),
        "tiff": Format(
            _images("TIFF", "RGB L") + _images("TIFF", "RGB", compression="tiff_lzw"), read_image
        ),
        "webp": Format(
            _images("WEBP", "RGB RGBA") + _images("WEBP", "RGB", lossless=True), read_image
        ),
        "pnm": Format(_images("PPM", "RGB L 1"), read_image),
        "onnx": Format(fuzz_onnx.models(), fuzz_onnx.read),
    }
