"""Names and parameters of operators in graphs of MXNet 2 (version 20000).

Operators without a counterpart in 1.9 are composed of others: :mod:`hy_symbol.symbol.compositions`.
"""

from collections.abc import Mapping

from hy_ndarray import namespaces

__all__ = ["renamed"]

_OF_NP = (
    *("all", "any", "atleast_1d", "atleast_2d", "atleast_3d", "copy", "cumsum", "diag"),
    *("diagflat", "diagonal", "dot", "max", "min", "moveaxis", "prod", "roll", "squeeze", "sum"),
    *("trace", "transpose"),
)
_RENAMED = {
    **{f"_npi_{name}": f"_np_{name}" for name in _OF_NP},
    **{f"_npx_{name}": own for name, own in namespaces.NPX_SINCE_MXNET2.items()},
    "_npx_digamma": "_digamma",
    "_npx_stop_gradient": "BlockGrad",
    "_npi_advanced_indexing_multiple": "gather_nd",
    "_npi_amax": "_np_max",
    "_npi_amin": "_np_min",
    "_npi_amp_cast": "amp_cast",
    "_npi_amp_multicast": "amp_multicast",
    "_npi_all_finite": "all_finite",
    "_npi_multi_all_finite": "multi_all_finite",
    "digamma": "_digamma",
}
_PARAMETERS = {
    "argsort": {"is_ascend_s": "is_ascend"},
    "sort": {"is_ascend_s": "is_ascend"},
    "_npi_around": {"decimal": "decimals"},
    "_npi_pad": {"constant_values": "constant_value"},
}
_UNSET = {"Deconvolution": "target_shape", "_npi_hstack": "dim"}
"""Parameters that are ``"None"`` in files of MXNet 2, and omitted in 1.9."""
_NUMBER_KINDS = ("int", "uint", "double")
"""Kinds of numbers, by the value of ``value_type``."""


def renamed(kind: str, attrs: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return an operator of MXNet 2 by its name and attributes in 1.9, unchanged if there are none.

    Args:
        kind: Name of the operator.
        attrs: Attributes of the operator, as strings.
    """
    names = _PARAMETERS.get(kind, {})
    attributes = {names.get(key, key): value for key, value in attrs.items()}
    if attributes.get(_UNSET.get(kind, "")) == "None":
        del attributes[_UNSET[kind]]
    if kind == "Pooling":
        attributes.pop("output_size", None)  # which MXNet 2.0.0b1 does not read
    elif kind == "_npi_pad" and "pad_width" in attributes:
        attributes["pad_width"] = attributes["pad_width"].translate(str.maketrans("[]", "()"))
    elif kind in ("_npi_full", "_npi_linspace") and "value_type" in attributes:
        attributes = _with_numbers(attributes)
    return _RENAMED.get(kind, kind), attributes


def _with_numbers(attrs: dict[str, str]) -> dict[str, str]:
    """Replace the variants of numbers (``start_int``, ``start_double``) by the one in use."""
    kind = attrs.pop("value_type")
    mode = _NUMBER_KINDS[int(kind)] if kind in ("0", "1", "2") else kind
    attributes: dict[str, str] = {}
    for key, value in attrs.items():
        name, _, of = key.rpartition("_")
        of, name = (name, of) if name in _NUMBER_KINDS else (of, name)
        if of not in _NUMBER_KINDS:
            attributes[key] = value
        elif of == mode:
            attributes[name] = value
    return attributes
