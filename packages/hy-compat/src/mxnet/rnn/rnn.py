"""Checkpoints of networks with symbolic cells, in which weights are split by gate."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray import NDArray
from hy_ndarray.warning import warn
from hy_symbol import Symbol, var
from mxnet._checkpoint import load_checkpoint, save_checkpoint
from mxnet.rnn.base import Arrays, BaseRNNCell

__all__ = ["do_rnn_checkpoint", "load_rnn_checkpoint", "rnn_unroll", "save_rnn_checkpoint"]


def rnn_unroll(
    cell: BaseRNNCell,
    length: int,
    inputs: Any = None,
    begin_state: list[Symbol] | None = None,
    input_prefix: str = "",
    layout: str = "NTC",
) -> tuple[Any, list[Any]]:
    """Return the result of :meth:`BaseRNNCell.unroll`; deprecated."""
    warn("rnn_unroll is deprecated. Please call cell.unroll directly.")
    if inputs is None:
        inputs = [var(f"{input_prefix}t{i}_data") for i in range(length)]
    return cell.unroll(length, inputs, begin_state, layout)


def save_rnn_checkpoint(
    cells: BaseRNNCell | Sequence[BaseRNNCell],
    prefix: str,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Arrays,
    aux_params: Arrays,
) -> None:
    """Write a checkpoint with weights split by gate, for any kind of cell.

    Args:
        cells: A cell of the network, or a list of cells.
        prefix: Prefix of the file names.
        epoch: Number of the epoch, from 0.
        symbol: The graph.
        arg_params: Parameters by name.
        aux_params: Auxiliary states by name.

    Example:
        >>> import mxnet as mx
        >>> cell = mx.rnn.GRUCell(2)
        >>> net, _ = cell.unroll(3, mx.sym.var("data"), merge_outputs=True)
        >>> shapes = zip(net.list_arguments(), net.infer_shape(data=(1, 3, 4))[0])
        >>> params = {name: mx.nd.ones(shape) for name, shape in shapes if name != "data"}
        >>> mx.rnn.save_rnn_checkpoint(cell, "net", 1, net, params, {})
        >>> sorted(mx.model.load_params("net", 1)[0])[:2]
        ['gru_h2h_o_bias', 'gru_h2h_o_weight']
        >>> _, loaded, _ = mx.rnn.load_rnn_checkpoint(cell, "net", 1)
        >>> loaded["gru_i2h_weight"].shape
        (6, 4)
    """
    for cell in _list(cells):
        # Split by gate: fused and stepped cells pack weights in different ways.
        arg_params = cell.unpack_weights(arg_params)
    save_checkpoint(prefix, epoch, symbol, arg_params, aux_params)


def load_rnn_checkpoint(
    cells: BaseRNNCell | Sequence[BaseRNNCell], prefix: str, epoch: int
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Return graph and parameters of a checkpoint, with weights packed for ``cells``.

    Raises:
        FileFormatError: A file is damaged.
        FileNotFoundError: A file is missing.
        KeyError: A weight of a cell is missing.
    """
    symbol, arg, aux = load_checkpoint(prefix, epoch)
    for cell in _list(cells):
        arg = cell.pack_weights(arg)
    return symbol, arg, aux


def do_rnn_checkpoint(
    cells: BaseRNNCell | Sequence[BaseRNNCell], prefix: str, period: int = 1
) -> Callable[..., None]:
    """Return a callback that calls :func:`save_rnn_checkpoint` after every ``period`` epochs.

    Returns:
        ``callback(epoch, symbol, arg_params, aux_params)``; epochs count from 0, files from 1.
    """
    period = max(1, int(period))

    def _callback(
        iter_no: int,
        sym: Symbol | None = None,
        arg: Arrays | None = None,
        aux: Arrays | None = None,
    ) -> None:
        # Epochs count from 0, but files from 1, as MXNet's do.
        if (iter_no + 1) % period == 0:
            save_rnn_checkpoint(cells, prefix, iter_no + 1, sym, arg or {}, aux or {})

    return _callback


def _list(cells: BaseRNNCell | Sequence[BaseRNNCell]) -> Sequence[BaseRNNCell]:
    return [cells] if isinstance(cells, BaseRNNCell) else cells
