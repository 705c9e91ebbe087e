"""Classes `Format`, the description of a file format, and `Contents`, what a file holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from hy_io._ndarray_format import StoredArray
from hy_io._opened import OpenedFile

Copy: TypeAlias = bool | Literal["on_write"]


@dataclass(frozen=True, slots=True)
class Contents:
    """Content of a file of arrays.

    Args:
        arrays: Arrays by name in the order of the file, or a list if they have no names.
        symbol: The graph as JSON, if there is one.
        np_shape: Whether the arrays have numpy semantics, in which a shape of no axes is a scalar;
            None if the file does not say.
        metadata: All other strings of the file, by name.
        inputs: Shapes of the graph's inputs by name, which some formats need to write the graph. A
            size may be a string, the name of a dynamic axis.
    """

    arrays: Mapping[str, StoredArray] | Sequence[StoredArray]
    symbol: str | None = None
    np_shape: bool | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[int | str]] = field(default_factory=dict)


class Load(Protocol):
    """Function that reads a file; arguments and errors are those of `load_arrays`."""

    def __call__(
        self, path: str, *, copy: Copy, dense: bool, max_expansion: int | None
    ) -> Contents: ...


class Save(Protocol):
    """Function that writes a file atomically; errors are those of `save_arrays`."""

    def __call__(self, path: str, contents: Contents) -> None: ...


@dataclass(frozen=True, slots=True)
class Format:
    """Description of a file format for arrays: how to detect, read and write its files.

    Args:
        name: Name of the format, also in messages.
        suffixes: File suffixes, in lower case, with the dot.
        matches: Predicate on the first 300 bytes of a file and its suffix: true for files of this
            format.
        load: Reads all arrays of a file; None if the format does not hold arrays, as record files.
        save: Writes a file; None if the format is read-only.
        open: Opens a file for reading single arrays; None if the format does not allow that.
        has_graph: Files can hold a graph beside the arrays.
        has_sparse: Files can hold sparse arrays.
        has_lists: Files can hold arrays without names.
        names: Naming scheme of the parameters in files of this format.
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
