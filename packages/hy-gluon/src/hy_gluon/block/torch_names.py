"""Parameters under PyTorch's names, as HuggingFace's files have them, for the places of a block."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from hy_gluon.parameter import Parameter
from hy_io import torch_name

__all__ = ["Nested", "layers_of", "with_own_names"]

_COUNT = "num_batches_tracked"  # of batch norms; hy has no such parameter
_MIN_CONVOLUTION_AXES = 3


class Nested(Protocol):
    """A block as far as its own parameters and the blocks inside it go."""

    @property
    def _children(self) -> Mapping[str, Any]: ...

    @property
    def _reg_params(self) -> Mapping[str, Parameter]: ...


def with_own_names(
    loaded: Mapping[str, Any], places: Mapping[str, Parameter], block: Nested
) -> Mapping[str, Any]:
    """Arrays of a file, those that PyTorch names otherwise under the names that they have here.

    The block tells the layers, so that no guess is needed: where ``norm.gamma`` is missing and
    ``norm.weight`` is no parameter of the block, the latter is taken.

    Args:
        loaded: The arrays by the names of the file.
        places: The block's parameters by structural name.
        block: The block.

    Returns:
        ``loaded`` itself where it has no such names.
    """
    # Parameters compare by identity, since two of them may have equal names.
    place_of = {id(parameter): place for place, parameter in places.items()}
    renamed: dict[str, str] = {}
    channels_last = set()
    for layer, path in layers_of(block, ""):
        is_last = str(getattr(layer, "_kwargs", {}).get("layout", "")).endswith("C")
        for name, parameter in layer._reg_params.items():
            # Recurrent layers have places that are not their attributes: those of MXNet's files.
            own = path + name
            place = own if own in places else place_of.get(id(parameter), own)
            there = _name_there(own)
            if is_last and name == "weight":
                channels_last.add(place)
            # Only where the block's own name is missing and PyTorch's name is none of the block's.
            if there and there in loaded and there not in places and place not in loaded:
                renamed[there] = place
    names = {name: renamed.get(name, name) for name in loaded if not _is_count(name, places)}
    if not renamed and len(names) == len(loaded):
        return loaded
    return {
        # PyTorch's axis of inputs is the second one, channels-last layouts have it at the end.
        here: np.moveaxis(loaded[name], 1, -1)
        if here in channels_last and loaded[name].ndim >= _MIN_CONVOLUTION_AXES
        else loaded[name]
        for name, here in names.items()
    }


def layers_of(block: Nested, path: str) -> Iterator[tuple[Nested, str]]:
    """The block and all inside of it, with what stands before the names of their parameters."""
    yield block, path
    for name, child in block._children.items():
        yield from layers_of(child, f"{path}{name}.")


def _name_there(name: str) -> str | None:
    try:
        return torch_name(name)
    except ValueError:  # of a layer that PyTorch has not
        return None


def _is_count(name: str, places: Mapping[str, Parameter]) -> bool:
    return name not in places and name.rpartition(".")[2] == _COUNT
