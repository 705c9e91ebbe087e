"""Checkpoints: files of a graph and of the parameters of each epoch, with a common prefix.

As in MXNet, ``prefix-symbol.json`` contains the graph and ``prefix-0003.params`` the parameters of
epoch 3. A manifest ``prefix-0003.sha256``, if requested, contains the digests of both files in the
format of ``sha256sum --check``.

The files are replaced together, see `hy_io.file_set`.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, overload

from hy_io._errors import ArgumentError, FileFormatError, MissingFileError
from hy_io._ndarray_format import Array, StoredArray
from hy_io._ndarray_writer import list_parts
from hy_io._paths import open_file
from hy_io.file_set import FileSet
from hy_io.formats import load_arrays
from hy_io.names import join_arg_aux, split_arg_aux, to_exported

__all__ = ["checkpoint_epochs", "load_checkpoint", "save_checkpoint", "sha256_of"]

Arrays = dict[str, StoredArray]
# 1 MiB: hashlib releases the GIL for large updates, and memory stays bounded for files of any size.
_BLOCK_BYTES = 1 << 20  # bytes hashed at once


def save_checkpoint(
    prefix: str | os.PathLike[str],
    epoch: int,
    symbol: str | None,
    arg_params: Mapping[str, StoredArray],
    aux_params: Mapping[str, StoredArray],
    *,
    manifest: bool = False,
    keep: int | None = None,
    np_shape: bool | None = None,
) -> Path:
    """Save the graph and the parameters of an epoch, atomically: both are old or both are new.

    Concurrent saves under one prefix wait for each other if the file system has locks.

    Args:
        prefix: Path prefix of the files; the folder must exist.
        epoch: Number of the epoch, at least 0.
        symbol: The graph as JSON; None leaves an existing graph file unchanged.
        arg_params: Learned parameters.
        aux_params: Auxiliary states, such as running means.
        manifest: Also write a file of digests, which `load_checkpoint` verifies.
        keep: Number of epochs to keep up to this one: parameters of older epochs are deleted, those
            of later epochs stay. None keeps all.
        np_shape: See `save_ndarrays`.

    Returns:
        The path of the file of parameters.

    Raises:
        TypeError: An array has a dtype that files cannot hold.
        ValueError: ``symbol`` is not JSON, ``epoch`` is negative, ``keep`` is less than 1, or
            ``np_shape`` does not fit the arrays.
        OSError: A file cannot be written; all files are unchanged.

    Example:
        >>> weights = {"fc_weight": np.ones((2, 3), np.float32)}
        >>> save_checkpoint("net", 3, '{"nodes": []}', weights, {}).name
        'net-0003.params'
        >>> load_checkpoint("net", 3)[0]
        '{"nodes": []}'
    """
    if epoch < 0 or (keep is not None and keep < 1):
        raise ArgumentError(f"save_checkpoint: needs epoch >= 0 and keep >= 1, got {epoch}, {keep}")
    if symbol is not None:
        _check_json(symbol)
    files = _Files(prefix)
    # Encoded before the lock is taken: arrays that cannot be written refuse the save early.
    parts = list(list_parts(join_arg_aux(arg_params, aux_params), np_shape=np_shape))
    new: dict[Path, list[bytes | memoryview]] = {files.params(epoch): parts}
    # Held over reading the old graph and writing the new files: another save between would mix
    # them.
    with files.changing():
        old_symbol = files.symbol.read_bytes() if files.symbol.exists() else None
        text = old_symbol if symbol is None else symbol.encode()
        if symbol is not None:
            new[files.symbol] = [symbol.encode()]
        if manifest:
            new[files.manifest(epoch)] = [_manifest(files, epoch, parts, text)]
        elif files.manifest(epoch).exists():
            # A manifest of older files would make `verify` refuse the new ones.
            new[files.manifest(epoch)] = []
        files.replace(new)
        if keep is not None:
            # Only epochs up to this one count: a run that starts again keeps the later epochs of
            # the old one.
            for old in [e for e in checkpoint_epochs(prefix) if e <= epoch][:-keep]:
                files.params(old).unlink(missing_ok=True)
                files.manifest(old).unlink(missing_ok=True)
    return files.params(epoch)


@overload
def load_checkpoint(
    prefix: str | os.PathLike[str],
    epoch: int = 0,
    *,
    verify: bool = True,
    dense: Literal[False] = False,
    max_expansion: int | None = None,
) -> tuple[str | None, Arrays, Arrays]: ...


@overload
def load_checkpoint(
    prefix: str | os.PathLike[str],
    epoch: int = 0,
    *,
    verify: bool = True,
    dense: Literal[True],
    max_expansion: int | None = None,
) -> tuple[str | None, dict[str, Array], dict[str, Array]]: ...


def load_checkpoint(
    prefix: str | os.PathLike[str],
    epoch: int = 0,
    *,
    verify: bool = True,
    dense: bool = False,
    max_expansion: int | None = None,
) -> Any:
    """Read the graph and the parameters of an epoch, or of an exported block.

    Args:
        prefix: Path prefix of the files.
        epoch: Number of the epoch, as in the name of the file of parameters.
        verify: Check the digests if the checkpoint has a manifest.
        dense: Convert sparse arrays to dense ones.
        max_expansion: See `load_ndarrays`.

    Returns:
        The graph as JSON (None if there is no graph file), the learned parameters and the auxiliary
        states. Names without the tags ``arg:`` and ``aux:`` are classified by suffix, see
        `to_exported`.

    Raises:
        FileFormatError: A file is damaged, or does not match its digest.
        FileLimitError: Dense arrays would take more than ``max_expansion``.
        FileNotFoundError: There are no parameters of this epoch; the message lists the existing
            epochs.
    """
    files = _Files(prefix)
    path = files.current(files.params(epoch))
    if not path.exists():
        known = ", ".join(map(str, checkpoint_epochs(prefix))) or "none"
        raise MissingFileError(f"{files.params(epoch)} is not there; epochs of it: {known}")
    symbol_path = files.current(files.symbol)
    symbol = symbol_path.read_bytes() if symbol_path.exists() else None
    if verify:
        # The digests cover graph and parameters together, so files of two saves do not pass.
        _verify(files, epoch, symbol)
    loaded = load_arrays(path, dense=dense, max_expansion=max_expansion).arrays
    if not isinstance(loaded, dict):
        if loaded:
            expected = "arrays with names"
            raise FileFormatError(
                os.fspath(path), 0, "names", expected=expected, found="a list without names"
            )
        loaded = {}
    arg, aux = split_arg_aux(to_exported(loaded))
    return None if symbol is None else _text(symbol_path, symbol), arg, aux


def checkpoint_epochs(prefix: str | os.PathLike[str]) -> list[int]:
    """Return the epochs for which files of parameters exist, in ascending order."""
    files = _Files(prefix)
    form = re.compile(re.escape(files.name) + r"-(\d{4,})\.params")
    names = {path.name for path in files.folder.glob("*.params")}
    # After a crash the parameters may still be beside their final name, in the list of the commit.
    names |= {target.name for target, source in files.listed().items() if source.exists()}
    return sorted({int(match[1]) for name in names if (match := form.fullmatch(name))})


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 digest of a file in hexadecimal; the file is read in blocks."""
    with open_file(path) as file:
        # `iter` with a sentinel reads until the empty block.
        return _digest(iter(partial(file.read, _BLOCK_BYTES), b""))


def _digest(parts: Iterable[bytes | memoryview]) -> str:
    """Return the SHA-256 digest, in hexadecimal, of the concatenation of buffers."""
    import hashlib  # noqa: PLC0415  # 2 ms, for OpenSSL, and most files are read without

    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


class _Files(FileSet):
    """Paths of the files of checkpoints with one prefix."""

    def __init__(self, prefix: str | os.PathLike[str]) -> None:
        super().__init__(prefix)
        self.symbol = self.named("-symbol.json")

    def params(self, epoch: int) -> Path:
        return self.named(f"-{epoch:04d}.params")

    def manifest(self, epoch: int) -> Path:
        return self.named(f"-{epoch:04d}.sha256")


def _manifest(
    files: _Files, epoch: int, parts: list[bytes | memoryview], symbol: bytes | None
) -> bytes:
    lines = [f"{_digest(parts)}  {files.params(epoch).name}\n"]
    if symbol is not None:
        lines.append(f"{_digest([symbol])}  {files.symbol.name}\n")
    return "".join(lines).encode()


def _verify(files: _Files, epoch: int, symbol: bytes | None) -> None:
    path = files.current(files.manifest(epoch))
    if not path.exists():
        return
    params = files.params(epoch)
    for name, digest, offset in _digests(path):
        if name == params.name:
            symbol_digest = sha256_of(files.current(params))
        elif name == files.symbol.name:
            symbol_digest = _digest([symbol or b""])
        else:
            continue
        if symbol_digest != digest:
            raise FileFormatError(
                os.fspath(path),
                offset,
                f"digest of {name}",
                expected=digest,
                found=symbol_digest,
                remedy="the files are not of one save; take another epoch, or pass verify=False",
            )


def _digests(path: Path) -> Iterator[tuple[str, str, int]]:
    start = 0
    for line in path.read_bytes().splitlines(keepends=True):
        # The form of ``sha256sum``, whose names are separated by exactly two spaces.
        match = re.fullmatch(rb"([0-9a-f]{64})  ([^\r\n]+)\r?\n?", line)
        if match is None:
            expected = "64 hexadecimal digits, two spaces and a name"
            raise FileFormatError(
                os.fspath(path), start, "digest", expected=expected, found=repr(line[:80])
            )
        yield os.fsdecode(match[2]), match[1].decode(), start
        start += len(line)


def _check_json(symbol: str) -> None:
    try:
        json.loads(symbol)
    except (ValueError, TypeError, RecursionError) as error:
        raise ArgumentError(f"save_checkpoint: symbol must be a graph as JSON: {error}") from None


def _text(path: Path, content: bytes) -> str:
    try:
        text = content.decode()
        json.loads(text)
    except (ValueError, RecursionError) as error:
        offset = getattr(error, "pos", getattr(error, "start", 0))
        actual = f"{content[offset : offset + 20]!r} ({type(error).__name__})"
        raise FileFormatError(
            os.fspath(path), offset, "graph", expected="JSON", found=actual
        ) from None
    return text
