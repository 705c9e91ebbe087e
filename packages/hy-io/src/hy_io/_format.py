"""Format and Contents: the record of a file format, and the content of a file of arrays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from hy_io._ndarray_format import StoredArray
from hy_io._opened import OpenedFile

__all__ = ["Contents", "Copy", "Format"]

Copy: TypeAlias = bool | Literal["on_write"]


@dataclass(frozen=True, slots=True)
class Contents:
    """Content of a file of arrays.

    Args:
        arrays: By name in their order, or a list if they have no names.
        symbol: The graph as JSON, if there is one.
        np_shape: Whether the file is in numpy semantics, None if the file does not say.
        metadata: Every other text of the file.
        inputs: Shapes of the graph's inputs by name, which a format may need to write it; a size
            that is a name may be another in each run.
    """

    arrays: Mapping[str, StoredArray] | Sequence[StoredArray]
    symbol: str | None = None
    np_shape: bool | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[int | str]] = field(default_factory=dict)


class Load(Protocol):
    """Reads a file; the arguments and errors are those of `load_arrays`."""

    def __call__(
        self, path: str, *, copy: Copy, dense: bool, max_expansion: int | None
    ) -> Contents: ...


class Save(Protocol):
    """Writes a file in one step; errors are those of `save_arrays`."""

    def __call__(self, path: str, contents: Contents) -> None: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files of arrays.

    Args:
        name: What it is called in messages.
        suffixes: The endings of its files, in lower case, with the dot.
        matches: Whether a file is of this format, from its first 300 bytes and its ending.
        load: Reads a file; None if it holds no arrays that can be asked for all at once.
        save: Writes one; None if files of this format are only read.
        open: Opens one to read single arrays; None if its format does not allow that.
        has_graph: It holds a graph beside the arrays.
        has_sparse: It holds sparse arrays.
        has_lists: It holds arrays without names.
        names: Whose names for parameters its files have.
    """

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes, str], bool]
    load: Load | None = None
    save: Save | None = None
    open: Callable[[str], OpenedFile[Any, Any]] | None = None
    has_graph: bool = False
    has_sparse: bool = False
    has_lists: bool = True
    names: Literal["mxnet", "torch"] = "mxnet"
