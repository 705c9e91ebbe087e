"""Tangent rules of bilinear operators, some of which add a bias."""

from collections.abc import Mapping, Sequence

from hy_ndarray.transforms._calls import Inner, outputs_of
from hy_ndarray.transforms.forward.rule import RULES, DualCall, total

_BILINEAR: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(
        (
            *("dot", "batch_dot", "_np_dot", "_npi_matmul", "_linalg_gemm2"),
            *("_npi_tensordot", "_npi_tensordot_int_axes"),
            *("FullyConnected", "_fully_connected_project", "Convolution", "Deconvolution"),
            *("_convolution_project", "_deconvolution_project"),
            *("_fully_connected_backward_data", "_fully_connected_backward_weight"),
            *("_convolution_backward_data", "_convolution_backward_weight"),
            *("_deconvolution_backward_data", "_deconvolution_backward_weight"),
            *("_dot_backward_lhs", "_dot_backward_rhs"),
        ),
        (0, 1),
    ),
}
_BIAS = 2  # its position among the inputs


def _bilinear(call: DualCall) -> Sequence[Inner | None] | None:
    """Return the tangent ``f(da, b) + f(a, db)``, with the bias's tangent in the first term."""
    # In operators without a bias the third input only gives a type.
    has_bias = "no_bias" in call.params
    bias = call.tangents[_BIAS] if has_bias and len(call.tangents) > _BIAS else None
    terms: list[Inner | None] = []
    for i in _BILINEAR[call.op.name]:
        t = call.tangents[i]
        if t is None:
            continue
        inputs = list(call.primals)
        inputs[i] = t
        params = call.params
        if has_bias:
            inputs[_BIAS:] = [bias] * len(inputs[_BIAS:])
            params = {**params, "no_bias": bias is None}
            bias = None
        terms.append(outputs_of(call.op, inputs, params, call.is_train)[0])
    if bias is not None:
        return None
    return (total(terms),)


for _name in _BILINEAR:
    RULES[_name] = _bilinear
