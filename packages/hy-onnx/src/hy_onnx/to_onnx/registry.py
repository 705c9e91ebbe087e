"""Registry of converters, which export a node, by catalogue operator."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_ndarray.ops import Operator
from hy_onnx.to_onnx.call import Call

__all__ = ["COMPOSED", "CONVERTERS", "Converter", "converter", "converter_of", "is_written"]

Converter: TypeAlias = Callable[[Call], str | Sequence[str]]
"""Function that adds ONNX nodes for a call; returns the names of the visible outputs."""

CONVERTERS: dict[str, Converter] = {}
"""Converters by canonical name of the operator."""


_COMPOSED = """
    BlockGrad Concat LinearRegressionOutput MAERegressionOutput MakeLoss SVMOutput SoftmaxActivation
    SpatialTransformer SwapAxis _contrib_box_decode _contrib_gradientmultiplier _contrib_quadratic
    _contrib_quantized_act _contrib_quantized_embedding _contrib_round_ste _contrib_sign_ste _copyto
    _identity_with_attr_like_rhs _image_crop _image_flip_left_right _image_flip_top_bottom
    _image_to_tensor _linalg_extractdiag _linalg_gemm _linalg_gemm2 _linalg_sumlogdiag _linalg_syrk
    _np_all _np_any _np_moveaxis _np_trace _npi_bitwise_not _npi_flip _npi_isfinite _npi_isinf
    _npi_isnan _npi_isneginf _npi_isposinf _npi_logical_not _npi_nan_to_num _npi_rarctan2_scalar
    _npi_rcopysign_scalar _npi_rldexp_scalar _npi_rot90 _npi_rtrue_divide_scalar _npi_tensordot
    _npi_tensordot_int_axes _npi_where_lscalar _npi_where_rscalar _npi_where_scalar2 _rdiv_scalar
    _rminus_scalar _rmod_scalar _rnn_param_concat _rpower_scalar _scatter_minus_scalar
    _scatter_plus_scalar _slice_assign_scalar _square_sum add_n argmax_channel batch_dot batch_take
    degrees fix khatri_rao log10 log2 logical_not make_loss nanprod nansum radians rcbrt reverse
    rsqrt scatter_nd square trunc
"""
COMPOSED = frozenset(_COMPOSED.split())
"""Operators that are written by the converters of what they are composed of.

So is every derived operator without a converter; of these it is tested, for all types.
"""


def converter(*names: str) -> Callable[[Converter], Converter]:
    """Decorator: register a function as the converter of these operators."""

    def register(function: Converter) -> Converter:
        for name in names:
            assert name not in CONVERTERS, f"two converters for {name}"
            CONVERTERS[name] = function
        return function

    return register


def converter_of(op: Operator) -> Converter | None:
    """Return the converter of an operator, or of the operator it is a synonym of; else None."""
    converter = CONVERTERS.get(op.name)
    return CONVERTERS.get(op.synonym_of) if converter is None and op.synonym_of else converter


def is_written(op: Operator) -> bool:
    """Return whether an operator can be exported, by a converter or as its composition."""
    return converter_of(op) is not None or not COMPOSED.isdisjoint((op.name, op.synonym_of))
