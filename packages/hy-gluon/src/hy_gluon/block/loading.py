"""Loading of parameters from files, with any of the supported naming schemes."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from hy_gluon.block.flat_parameters import with_split_vectors
from hy_gluon.block.renumbered import with_own_numbers
from hy_gluon.block.torch_names import Nested, with_own_names
from hy_gluon.files import array_of
from hy_gluon.parameter import MismatchError, Parameter, ParameterDict
from hy_gluon.parameter.dictionary import nearest
from hy_io import load_arrays
from hy_ndarray import Context

__all__ = ["LoadOptions", "Loadable", "load_into", "take_into"]


class Loadable(Nested, Protocol):
    """Protocol of a block whose parameters can be loaded."""

    @property
    def name(self) -> str:
        """Name of the block."""

    @property
    def prefix(self) -> str:
        """Prefix of the names of the block's parameters."""

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of the block and its children."""
        ...

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]: ...


class LoadOptions(NamedTuple):
    """Options of :meth:`Block.load_parameters`."""

    ctx: Context | list[Context] | None = None
    allow_missing: bool = False
    ignore_extra: bool = False
    cast_dtype: bool = False
    dtype_source: str = "current"


def load_into(
    block: Loadable,
    filename: str,
    options: LoadOptions,
    by_path: dict[str, Parameter] | None = None,
) -> None:
    """Load the parameters of ``block`` from a file.

    Args:
        block: The block.
        filename: Path of the file.
        options: The options.
        by_path: The parameters by their names in the file, if these are not scope paths.

    Raises:
        MismatchError: Names, shapes or dtypes do not match.
        FileFormatError: The file is damaged.
        FileLimitError: See ``nd.load``.
    """
    loaded = load_arrays(filename, dense=True).arrays or {}  # a file of no arrays has no names
    if not isinstance(loaded, Mapping):
        raise MismatchError(f"{filename}: holds a list of arrays without names, not parameters")
    take_into(block, loaded, filename, options, by_path)


def take_into(
    block: Loadable,
    loaded: Mapping[str, Any],
    filename: str,
    options: LoadOptions,
    by_path: dict[str, Parameter] | None = None,
) -> None:
    """Set the parameters of ``block`` from named arrays; see the arguments of :func:`load_into`.

    Raises:
        MismatchError: Names, shapes or dtypes do not match.
    """
    ctx, allow_missing, ignore_extra, cast_dtype, dtype_source = options
    by_path = block._collect_params_with_prefix() if by_path is None else by_path
    # Files name parameters in up to five ways; the steps below try them from the most specific one.
    loaded = with_split_vectors(with_own_names(loaded, by_path, block), by_path, block)
    if not loaded and not by_path:
        return
    own = block.collect_params()
    # No name is a scope path: the file has prefixed names, perhaps with other automatic numbers.
    if not _has_paths(loaded, by_path, own, block.prefix):
        prefix = _missing_prefix(loaded, own, block.prefix)
        own.load_dict(
            loaded if prefix else with_own_numbers(loaded, own.keys()),
            ctx,
            allow_missing,
            ignore_extra,
            prefix,
            filename,
            cast_dtype,
            dtype_source,
        )
        return
    if not allow_missing:
        _require_all(by_path, loaded, filename)
    for name, value in loaded.items():
        if name in by_path:
            by_path[name]._load_init(
                array_of(value), ctx, cast_dtype=cast_dtype, dtype_source=dtype_source
            )
        elif not ignore_extra:
            raise MismatchError(
                f"Parameter {name!r} loaded from file: {filename} is not present in {block.name}"
                f"{nearest(name, by_path)}; it has {_abridged(by_path)}. Set ignore_extra=True to "
                "skip it"
            )


def _has_paths(
    loaded: Mapping[str, Any], by_path: Mapping[str, Any], own: ParameterDict, prefix: str
) -> bool:
    """Return whether a file's names are scope paths such as ``features.0.weight``."""
    if not by_path or any(name in by_path for name in loaded):
        return True
    # A dot alone is no proof: prefixes may contain dots.
    named = any(name in own or prefix + name in own for name in map(_unmarked, loaded))
    return not named and any("." in name for name in loaded)


def _unmarked(name: str) -> str:
    return name.removeprefix("arg:").removeprefix("aux:")


def _missing_prefix(loaded: Mapping[str, Any], own: ParameterDict, prefix: str) -> str:
    """Return the block's prefix if the file's names lack it, else an empty string."""
    names = [_unmarked(name) for name in loaded]
    # The prefix is added for all names or for none.
    whole = any(name in own for name in names)
    return prefix if not whole and any(prefix + name in own for name in names) else ""


def _require_all(by_path: Mapping[str, Parameter], loaded: Mapping[str, Any], file: str) -> None:
    """Raise MismatchError if the file lacks a parameter under all of its scope paths."""
    # A shared parameter is saved under one of its names if the file was deduplicated.
    present = {id(p) for name, p in by_path.items() if name in loaded}
    for name, parameter in by_path.items():
        if id(parameter) not in present:
            raise MismatchError(
                f"Parameter {name!r} is missing in file: {file}{nearest(name, loaded)}; it "
                f"contains {_abridged(loaded)}. Set allow_missing=True to leave it as it is"
            )


def _abridged(names: Mapping[str, Any]) -> str:
    shown = list(names)
    return ", ".join(shown if len(shown) <= 10 else [*shown[:5], "…", *shown[-5:]])  # noqa: PLR2004
