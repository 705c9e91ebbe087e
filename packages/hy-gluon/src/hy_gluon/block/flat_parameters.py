"""Splitting of the parameter vector that MXNet 2 saves for each recurrent layer."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from hy_gluon.block.torch_names import layers_of
from hy_gluon.parameter import Parameter

__all__ = ["with_split_vectors"]

_VECTOR = "rnn_param"


@runtime_checkable
class _Recurrent(Protocol):
    def _parts_of_vector(self, vector: Any) -> Iterator[tuple[Parameter, Any]]: ...


def with_split_vectors(
    loaded: Mapping[str, Any], by_path: Mapping[str, Parameter], block: Any
) -> Mapping[str, Any]:
    """Return loaded arrays, with each vector ``rnn_param`` split into a layer's parameters.

    Args:
        loaded: Arrays by name in the file.
        by_path: The block's parameters by scope path, such as ``features.0.weight``.
        block: The block.

    Returns:
        ``loaded`` itself if there are no such vectors.

    Raises:
        MismatchError: A vector does not have the length that the layer needs.
    """
    vectors = [name for name in loaded if name.rpartition(".")[2] == _VECTOR]
    if not vectors or any(name in by_path for name in vectors):
        # A layer of the block itself may be called rnn_param.
        return loaded
    path_of = {id(parameter): param_path for param_path, parameter in by_path.items()}
    split = dict(loaded)
    for layer, path in layers_of(block, ""):
        name = path + _VECTOR
        if name in split and isinstance(layer, _Recurrent):
            parts = layer._parts_of_vector(split.pop(name))
            split.update({path_of[id(parameter)]: part for parameter, part in parts})
    return split
