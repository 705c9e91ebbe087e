"""Batching rules of operators that support any number of leading batch axes."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner
from hy_ndarray.transforms.batching.rule import BatchedCall, rule


@rule(
    *("_linalg_cofactor", "_linalg_det", "_linalg_extractdiag", "_linalg_extracttrian"),
    *("_linalg_gelqf", "_linalg_inverse", "_linalg_makediag", "_linalg_maketrian"),
    *("_linalg_potrf", "_linalg_potri", "_linalg_slogdet", "_linalg_sumlogdiag"),
    *("_linalg_syevd", "_linalg_symmetric_gradient", "_linalg_symmetric_of", "_linalg_syrk"),
    *("_linalg_triangle", "_linalg_trmm", "_linalg_trsm", "_linalg_inverse_gaps"),
    *("_npi_cholesky", "_npi_det", "_npi_slogdet", "_npi_eigh", "_npi_eigvalsh", "_npi_svd"),
    *("_npi_pinv_scalar_rcond", "one_hot", "_contrib_div_sqrt_dim"),
    *("_log_softmax_pick", "_log_softmax_dot", "_log_softmax_dot_backward"),
)
def _leading(call: BatchedCall) -> Sequence[Inner] | None:
    inputs = call.all_full()
    if len({call.rank(i) for i, x in enumerate(inputs) if x is not None}) > 1 and not (
        call.op.name.startswith("_log_softmax")
    ):
        return None
    return call.shaped(call.run(inputs))


@rule("_log_softmax_pick_backward")
def _pick_backward(call: BatchedCall) -> Sequence[Inner] | None:
    return call.run(call.all_full())
