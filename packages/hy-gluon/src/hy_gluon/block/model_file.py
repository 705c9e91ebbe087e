"""Model files of ``Block.save`` and ``Block.load``: structure, graphs and parameters."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any, Protocol

from hy_gluon._errors import StructureError
from hy_gluon.block.loading import LoadOptions, load_into
from hy_gluon.files import contents_of, np_shape_of
from hy_gluon.parameter import Parameter, ParameterDict
from hy_gluon.trace.scope_path import Scoped
from hy_io import current_file, read_file, save_together

__all__ = ["Savable", "load_model", "save_model"]


class Savable(Scoped, Protocol):
    """Protocol of a block that can be saved."""

    @property
    def prefix(self) -> str:
        """Prefix of the names of the block's parameters."""

    @property
    def _reg_params(self) -> dict[str, Parameter]: ...

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of the block and its children."""
        ...

    def load_parameters(self, filename: str) -> None:
        """Read parameters from a file."""

    def hybridize(self) -> None:
        """Run the block as a graph from the next call on."""

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]: ...

    def _hy_graph_description(self) -> dict[str, Any]: ...


def save_model(block: Savable, prefix: str) -> None:
    """Write ``prefix-model.json`` and ``prefix-model.params``, both or none."""
    numbers = count()
    document = {_key(block, numbers): _block_description(block, numbers)}
    by_path = block._collect_params_with_prefix()
    arrays = contents_of({name: parameter._reduce() for name, parameter in by_path.items()})
    files: dict[str, str | dict[str, Any]] = {
        "-model.params": arrays,
        "-model.json": json.dumps(document),
    }
    save_together(prefix, files, np_shape=np_shape_of(arrays.values()))


def load_model(block: Savable, prefix: str) -> None:
    """Load a model that :func:`save_model` wrote into a block of the same structure.

    Raises:
        StructureError: The file describes a model of another structure, or none.
    """
    path = f"{prefix}-model.json"
    try:
        document = json.loads(read_file(current_file(path)))
    except ValueError as error:
        raise StructureError(f"{path}: is not JSON: {error}") from error
    # Pairs first: nothing is loaded where the structures differ.
    pairs = list(_blocks_with_paths(block, document, count(), path))
    file = str(current_file(f"{prefix}-model.params"))
    saved = {
        f"{path_prefix}{name}": x
        for part, _, path_prefix in pairs
        for name, x in part._reg_params.items()
    }
    if saved.keys() == block._collect_params_with_prefix().keys():
        block.load_parameters(file)
    else:  # children have other names than when it was saved, as those with numbers in them
        load_into(block, file, LoadOptions(), saved)
    for part, description, _ in pairs:
        if description.get("hybridized"):
            part.hybridize()


def _key(block: Savable, numbers: Iterator[int]) -> str:
    """Return a block's key in the file, as in MXNet: class name and preorder number."""
    return f"{type(block).__name__.lower()}{next(numbers)}"


def _block_description(block: Savable, numbers: Iterator[int]) -> dict[str, Any]:
    children = block._children
    described: dict[str, Any] = {"orig_name": block.name, **block._hy_graph_description()}
    described["children"] = {child.name: name for name, child in children.items()}
    for child in children.values():
        key = _key(child, numbers)
        described[key] = _block_description(child, numbers)
    return described


def _blocks_with_paths(
    block: Savable, document: Any, numbers: Iterator[int], path: str, path_prefix: str = ""
) -> Iterator[tuple[Savable, dict[str, Any], str]]:
    """Yield each block with its saved description and path prefix, such as ``features.0.``."""
    key = _key(block, numbers)
    if not isinstance(document, dict) or not isinstance(document.get(key), dict):
        raise StructureError(
            f"{path}: block {block.name} is missing in the saved model, or has another parent "
            f"there: no entry {key!r}"
        )
    yield block, document[key], path_prefix
    names = list(document[key].get("children", {}).values())
    # A child that was registered twice is one entry of the dictionary; take the names of the block
    # then.
    if len(names) != len(block._children):  # of a child that is there twice, one is written
        names = list(block._children)
    for name, child in zip(names, block._children.values(), strict=True):
        yield from _blocks_with_paths(child, document[key], numbers, path, f"{path_prefix}{name}.")
