"""Checkpoints: the graph of a symbol, and its parameters after each epoch."""

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from hy_gluon.files import array_of, contents_of, np_shape_of
from hy_io import (
    MissingFileError,
    StoredArray,
    load_checkpoint as load_files,
    save_checkpoint as save_files,
)
from hy_ndarray import NDArray
from hy_symbol import Symbol, load_json

__all__ = ["BatchEndParam", "BatchEndParams", "load_checkpoint", "load_params", "save_checkpoint"]

_Arrays: TypeAlias = dict[str, NDArray]


class BatchEndParams(NamedTuple):
    """Arguments of a callback at the end of a batch."""

    epoch: int
    nbatch: int
    eval_metric: Any
    """The metric of the training data, or None."""
    locals: dict[str, Any] | None
    """Local variables of the training loop."""


BatchEndParam = BatchEndParams


def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Write ``prefix-symbol.json`` and ``prefix-0003.params`` (for epoch 3), both or none.

    Args:
        prefix: Prefix of the file names; the folder must exist.
        epoch: Number of the epoch, from 0.
        symbol: The graph; if None, an existing file is kept.
        arg_params: Parameters by name.
        aux_params: Auxiliary states by name.
        remove_amp_cast: Omit casts inserted by mixed precision.

    Raises:
        OSError: A file cannot be written; both files are unchanged.

    Example:
        >>> import mxnet as mx
        >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
        >>> params = {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros((2,))}
        >>> mx.model.save_checkpoint("net", 3, net, params, {})
        >>> symbol, args, aux = mx.model.load_checkpoint("net", 3)
        >>> symbol.list_arguments(), sorted(args), aux
        (['data', 'fc_weight', 'fc_bias'], ['fc_bias', 'fc_weight'], {})
    """
    graph = None if symbol is None else symbol.tojson(remove_amp_cast)
    arg, aux = (contents_of(part) for part in (arg_params, aux_params))
    np_shape = np_shape_of([*arg.values(), *aux.values()])
    path = save_files(prefix, epoch, graph, arg, aux, np_shape=np_shape)
    # The root logger is the one that programs for MXNet set up.
    logging.info('Saved checkpoint to "%s"', path)


def load_params(prefix: str, epoch: int) -> tuple[_Arrays, _Arrays]:
    """Return parameters and auxiliary states of an epoch, by name.

    Raises:
        FileFormatError: The file is damaged.
        FileNotFoundError: The file is missing; lists the epochs that exist.
    """
    _, arg, aux = load_files(prefix, epoch)
    if not arg and not aux:
        logging.warning("Params file '%s-%04d.params' is empty", prefix, epoch)
    return _arrays(arg), _arrays(aux)


def load_checkpoint(prefix: str, epoch: int) -> tuple[Symbol, _Arrays, _Arrays]:
    """Return the graph, parameters and auxiliary states that :func:`save_checkpoint` wrote.

    Raises:
        FileFormatError: A file is damaged.
        FileNotFoundError: A file is missing.
    """
    graph, arg, aux = load_files(prefix, epoch)
    if graph is None:
        raise MissingFileError(f"{prefix}-symbol.json is not there; load_params needs no graph")
    return load_json(graph), _arrays(arg), _arrays(aux)


def _arrays(stored: Mapping[str, StoredArray]) -> _Arrays:
    return {name: array_of(value) for name, value in stored.items()}
