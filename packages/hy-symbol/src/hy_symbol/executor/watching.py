"""Names passed to monitor callbacks for operators' inputs, as in MXNet."""

from hy_symbol.graph.node import Node

__all__ = ["shown_gradients", "shown_inputs"]

_NAMED_IN_MXNET = """
Dropout GridGenerator L2Normalization LRN MakeLoss Pad Pooling Pooling_v1 SliceChannel SwapAxis
all_finite col2im depth_to_space diag im2col log_softmax moments one_hot repeat reverse softmax
space_to_depth squeeze tile _contrib_BilinearResize2D _contrib_MultiBoxPrior
_contrib_index_array _contrib_interleaved_matmul_selfatt_qk _contrib_quadratic
_contrib_quantize_v2 _image_normalize _image_to_tensor _linalg_det _linalg_extractdiag
_linalg_extracttrian _linalg_gelqf _linalg_inverse _linalg_makediag _linalg_maketrian
_linalg_potrf _linalg_potri _linalg_slogdet _linalg_sumlogdiag _linalg_syevd _linalg_syrk
_ravel_multi_index _sample_exponential _sample_poisson _split_v2 _unravel_index
"""
_NAMED = frozenset(_NAMED_IN_MXNET.split())
"""Operators with one input, which has a name in MXNet."""

_UNNAMED_OF_NUMPY = """
_npi_argmax _npi_argmin _npi_norm _npx_relu _npx_sigmoid _npi_add_scalar _npi_arctan2_scalar
_npi_bitwise_and_scalar _npi_bitwise_or_scalar _npi_bitwise_xor_scalar _npi_copysign_scalar
_npi_lcm_scalar _npi_ldexp_scalar _npi_mod_scalar _npi_multiply_scalar _npi_power_scalar
_npi_rarctan2_scalar _npi_rcopysign_scalar _npi_rldexp_scalar _npi_rmod_scalar
_npi_rpower_scalar _npi_rsubtract_scalar _npi_rtrue_divide_scalar _npi_subtract_scalar
_npi_true_divide_scalar
"""
_NP_UNNAMED = frozenset(_UNNAMED_OF_NUMPY.split())
"""Operators of the NumPy interface with one input, which has no name in MXNet."""


def shown_inputs(node: Node) -> list[str]:
    """Return the names of a node's inputs: ``fc_weight``, or ``act_input0`` if unnamed in MXNet.

    Example:
        >>> from hy_symbol import sym
        >>> x = sym.var("x")
        >>> shown_inputs(sym.tanh(x, name="t").graph.nodes[-1])
        ['t_input0']
        >>> shown_inputs(sym.elemwise_add(x, x, name="sum").graph.nodes[-1])
        ['sum_lhs', 'sum_rhs']
    """
    op, names = node.op, node.input_names
    if op is not None and len(op.inputs) == 1 and not op.variadic:
        named = op.name not in _NP_UNNAMED if op.name.startswith("_np") else op.name in _NAMED
        names = names if named else ("input0",)
    return [f"{node.name}_{name}" for name in names]


def shown_gradients(node: Node) -> list[str]:
    """Return the names of the gradients of a node's inputs, without auxiliary states.

    Example:
        >>> from hy_symbol import sym
        >>> x = sym.var("x")
        >>> shown_gradients(sym.tanh(x, name="t").graph.nodes[-1])
        ['t_backward_output']
        >>> shown_gradients(sym.broadcast_mul(x, x, name="mul").graph.nodes[-1])
        ['mul_backward_output0', 'mul_backward_output1']
    """
    states = () if node.op is None else node.op.aux
    count = len([name for name in node.input_names if name not in states])
    name = f"{node.name}_backward_output"
    return [name] if count == 1 else [f"{name}{i}" for i in range(count)]
