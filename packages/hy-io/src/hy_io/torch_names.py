"""Conversion of parameters of basic layers between Gluon's and PyTorch's names and layouts.

==========================  =====================================  ===============================
layer                       here                                   there
==========================  =====================================  ===============================
Dense, Conv*, ConvTranspose weight, bias                           weight, bias
Embedding                   weight                                 weight
BatchNorm                   gamma, beta, running_mean, running_var weight, bias, the same two, and
                                                                   num_batches_tracked
LayerNorm, GroupNorm,       gamma, beta                            weight, bias
InstanceNorm
PReLU                       alpha                                  weight
RNN, LSTM, GRU              l0_i2h_weight, r1_h2h_bias, ...        weight_ih_l0,
                                                                   bias_hh_l1_reverse, ...
==========================  =====================================  ===============================

In the table, "here" are Gluon's names, "there" PyTorch's. The layouts are the same: weights of
Dense are (outputs, inputs), of convolutions (outputs, inputs, *kernel), of transposed convolutions
(inputs, outputs, *kernel), and the gates of LSTM and GRU have the same order. Weights of
convolutions with a channels-last layout, such as NHWC, are transposed.
"""

import re
from collections.abc import Collection, Mapping

import numpy as np

from hy_io._errors import ArgumentError
from hy_io._ndarray_format import Array

__all__ = ["from_torch_state_dict", "to_torch_state_dict", "torch_name"]

_TO_TORCH = {
    "weight": "weight",
    "bias": "bias",
    "gamma": "weight",
    "beta": "bias",
    "running_mean": "running_mean",
    "running_var": "running_var",
    "moving_mean": "running_mean",
    "moving_var": "running_var",
    "alpha": "weight",
}
_CELL = re.compile(r"([lr])(\d+)_(i2h|h2h|h2r)_(weight|bias)")
_CELL_THERE = re.compile(r"(weight|bias)_(ih|hh|hr)_l(\d+)(_reverse)?")
_PARTS = {"i2h": "ih", "h2h": "hh", "h2r": "hr"}
_PARTS_BACK = {there: here for here, there in _PARTS.items()}
_NAME = re.compile(
    r"(?:(?P<layer>.*?)(?P<joint>[._]))??"
    r"(?P<kind>[lr]\d+_(?:i2h|h2h|h2r)_(?:weight|bias)|" + "|".join(_TO_TORCH) + ")"
)
# Convolution weights have (outputs, inputs, *kernel), so at least 3 axes; others have 2.
_CHANNELS = 3  # axes from which on a weight belongs to a convolution


def to_torch_state_dict(
    arrays: Mapping[str, Array], *, channels_last: Collection[str] = ()
) -> dict[str, Array]:
    """Convert Gluon's parameters to the ``state_dict`` of an equivalent PyTorch module.

    Args:
        arrays: Parameters by structural names (``0.weight``), of which only the last part is
            converted, or by prefixed or exported names, of which the part before ``_weight``
            becomes the name of the layer.
        channels_last: Names of the layers whose weights are (outputs, *kernel, inputs).

    Returns:
        Arrays, which share memory with the given ones, and zeros as ``num_batches_tracked``.

    Raises:
        ValueError: A parameter does not belong to a layer of the table, or two would get the same
            name.

    Example:
        >>> bn = {"1.gamma": np.ones(2), "1.running_var": np.ones(2)}
        >>> list(to_torch_state_dict(bn))
        ['1.weight', '1.running_var', '1.num_batches_tracked']
    """
    result: dict[str, Array] = {}
    for name, array in arrays.items():
        layer, kind = _split_name(name)
        value = array
        if layer in channels_last and kind == "weight" and array.ndim >= _CHANNELS:
            # MXNet's channels-last weights are (outputs, *kernel, inputs), PyTorch's (outputs,
            # inputs, *kernel).
            value = np.moveaxis(array, -1, 1)
        new_name = torch_name(name)
        if new_name in result:  # the second would silently overwrite the first
            raise ArgumentError(f"the parameter {name!r} and another one both become {new_name!r}")
        result[new_name] = value
        # `load_state_dict` refuses a BatchNorm without this counter; MXNet does not count batches.
        if kind in {"running_var", "moving_var"}:
            result[_join(layer, "num_batches_tracked")] = np.array(0, np.int64)
    return result


def torch_name(name: str) -> str:
    """Return the name that a parameter has in a PyTorch module with the same structure.

    Args:
        name: A name that `to_torch_state_dict` accepts.

    Raises:
        ValueError: The parameter does not belong to a layer of the table.

    Example:
        >>> torch_name("encoder.0.gamma")
        'encoder.0.weight'
    """
    layer, kind = _split_name(name)
    cell = _CELL.fullmatch(kind)
    if cell is None:
        return _join(layer, _TO_TORCH[kind])
    side, number, part, what = cell.groups()
    return _join(layer, f"{what}_{_PARTS[part]}_l{number}{'_reverse' if side == 'r' else ''}")


def _split_name(name: str) -> tuple[str, str]:
    match = _NAME.fullmatch(name.removeprefix("arg:").removeprefix("aux:"))
    if match is None:
        raise ArgumentError(
            f"to_torch_state_dict: {name!r} is of no known layer; names end in "
            f"{', '.join(_TO_TORCH)} or in those of RNN layers, such as l0_i2h_weight"
        )
    return match["layer"] or "", match["kind"]


def _join(layer: str, kind: str) -> str:
    return f"{layer}.{kind}" if layer else kind


def from_torch_state_dict(
    state: Mapping[str, Array],
    *,
    kinds: Mapping[str, str] | None = None,
    channels_last: Collection[str] = (),
) -> dict[str, Array]:
    """Convert a PyTorch ``state_dict`` to the names and layouts of ``Block.load_parameters``.

    In PyTorch the parameters of all layers are named weight and bias. A weight with one axis
    becomes ``gamma`` if the layer also has a bias or a running mean, else ``alpha``; other weights
    keep their name.

    Args:
        state: The result of ``module.state_dict()``, as numpy arrays.
        kinds: The kind of a layer by name, ``"norm"``, ``"prelu"`` or ``"plain"``, for layers to
            which this rule does not apply.
        channels_last: Names of the layers whose weights must be (outputs, *kernel, inputs).

    Returns:
        Arrays, which share memory with the given ones, without ``num_batches_tracked``.

    Raises:
        ValueError: A parameter does not belong to a layer of the table.

    Example:
        >>> list(from_torch_state_dict({"1.weight": np.ones(2), "1.bias": np.zeros(2)}))
        ['1.gamma', '1.beta']
    """
    result: dict[str, Array] = {}
    for name, array in state.items():
        layer, _, last = name.rpartition(".")
        if last == "num_batches_tracked":
            continue
        cell = _CELL_THERE.fullmatch(last)
        value = array
        if cell is not None:
            what, part, number, back = cell.groups()
            here = f"{'r' if back else 'l'}{number}_{_PARTS_BACK[part]}_{what}"
        # A weight with one axis is a scale of a normalisation or the slope of a PReLU.
        elif last in {"weight", "bias"}:
            kind = (kinds or {}).get(layer) or _norm_or_prelu(state, layer)
            here = _HERE[kind][last]
            if layer in channels_last and last == "weight" and array.ndim >= _CHANNELS:
                value = np.moveaxis(array, 1, -1)
        elif last in {"running_mean", "running_var"}:
            here = last
        else:
            raise ArgumentError(f"from_torch_state_dict: {name!r} is of no known layer")
        result[_join(layer, here)] = value
    return result


_HERE = {
    "plain": {"weight": "weight", "bias": "bias"},
    "norm": {"weight": "gamma", "bias": "beta"},
    "prelu": {"weight": "alpha", "bias": "bias"},
}


def _norm_or_prelu(state: Mapping[str, Array], layer: str) -> str:
    if _join(layer, "running_mean") in state:
        return "norm"
    weight = state.get(_join(layer, "weight"))
    if weight is None or weight.ndim != 1:
        return "plain"
    return "norm" if _join(layer, "bias") in state else "prelu"
