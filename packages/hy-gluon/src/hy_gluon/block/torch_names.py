"""Parameter names of PyTorch (and HuggingFace), matched to the scope paths of a block."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from hy_gluon.parameter import Parameter
from hy_io import torch_name

__all__ = ["Nested", "layers_of", "with_own_names"]

_COUNT = "num_batches_tracked"  # of batch norms; hy has no such parameter
_MIN_CONVOLUTION_AXES = 3


class Nested(Protocol):
    """Interface of a block with parameters and children."""

    @property
    def _children(self) -> Mapping[str, Any]: ...

    @property
    def _reg_params(self) -> Mapping[str, Parameter]: ...


def with_own_names(
    loaded: Mapping[str, Any], by_path: Mapping[str, Parameter], block: Nested
) -> Mapping[str, Any]:
    """Return loaded arrays, with PyTorch's names replaced by those of the block.

    The names follow from the block's layers: if ``norm.gamma`` is missing, and ``norm.weight`` is
    not a parameter of the block, ``norm.weight`` is used.

    Args:
        loaded: Arrays by name in the file.
        by_path: The block's parameters by scope path, such as ``features.0.weight``.
        block: The block.

    Returns:
        ``loaded`` itself if there are no such names.
    """
    # Parameters compare by identity, since two of them may have equal names.
    path_of = {id(parameter): own_path for own_path, parameter in by_path.items()}
    renamed: dict[str, str] = {}
    channels_last = set()
    for layer, path in layers_of(block, ""):
        is_last = str(getattr(layer, "_kwargs", {}).get("layout", "")).endswith("C")
        for name, parameter in layer._reg_params.items():
            # Parameters of recurrent layers have MXNet's paths, which are not their attributes.
            own = path + name
            own_path = own if own in by_path else path_of.get(id(parameter), own)
            torch_key = _torch_name_of(own)
            if is_last and name == "weight":
                channels_last.add(own_path)
            # Only where the block's own name is missing and PyTorch's name is none of the block's.
            if (
                torch_key
                and torch_key in loaded
                and torch_key not in by_path
                and own_path not in loaded
            ):
                renamed[torch_key] = own_path
    names = {name: renamed.get(name, name) for name in loaded if not _is_count(name, by_path)}
    if not renamed and len(names) == len(loaded):
        return loaded
    return {
        # PyTorch's axis of inputs is the second one, channels-last layouts have it at the end.
        own_name: np.moveaxis(loaded[name], 1, -1)
        if own_name in channels_last and loaded[name].ndim >= _MIN_CONVOLUTION_AXES
        else loaded[name]
        for name, own_name in names.items()
    }


def layers_of(block: Nested, path: str) -> Iterator[tuple[Nested, str]]:
    """Yield the block and its descendants, each with the path prefix of its parameters."""
    yield block, path
    for name, child in block._children.items():
        yield from layers_of(child, f"{path}{name}.")


def _torch_name_of(name: str) -> str | None:
    try:
        return torch_name(name)
    except ValueError:  # of a layer that PyTorch has not
        return None


def _is_count(name: str, by_path: Mapping[str, Parameter]) -> bool:
    return name not in by_path and name.rpartition(".")[2] == _COUNT
