"""Functions that turn mixed precision on and off."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hy_gluon.amp.policy import Conditions, Policy
from hy_ndarray.core.casting import casting_policy, casting_scope, set_casting_policy

__all__ = ["active", "autocast", "disable", "init"]


def active() -> Policy | None:
    """Return the mixed-precision policy of this thread; None if it is off."""
    policy = casting_policy()
    return policy if isinstance(policy, Policy) else None


def init(
    target_dtype: object = "float16",
    target_precision_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Conditions | None = None,
    fp32_ops: Sequence[str] | None = None,
) -> None:
    """Turn mixed precision on for the whole process: operators cast their inputs.

    This applies to operators called on arrays and on symbols. Hybridized blocks are traced again at
    their next call. Existing graphs are not changed; convert them by :func:`convert_symbol` and
    related functions. A later call replaces an earlier one.

    Args:
        target_dtype: ``"float16"`` or ``"bfloat16"``.
        target_precision_ops: Operators to compute in ``target_dtype``; :func:`list_lp16_ops` if
            None.
        conditional_fp32_ops: Triples ``(operator, parameter, values)``: operators to compute in
            float32 if the parameter has one of the values; :func:`list_conditional_fp32_ops` if
            None.
        fp32_ops: Operators to compute in float32; :func:`list_fp32_ops` if None.

    Raises:
        DTypeError: ``target_dtype`` is neither float16 nor bfloat16.
        AMPError: An operator is unknown or listed twice.

    Example:
        >>> from hy_ndarray import nd
        >>> init("bfloat16")
        >>> nd.FullyConnected(nd.ones((1, 2)), nd.ones((3, 2)), num_hidden=3, no_bias=True).dtype
        <class 'ml_dtypes.bfloat16'>
        >>> disable()
    """
    policy = Policy(target_dtype, target_precision_ops, fp32_ops, conditional_fp32_ops)
    before = set_casting_policy(policy)
    # The same call again must not invalidate traces, nor part a trainer from its loss scaler.
    if isinstance(before, Policy) and before.key == policy.key:
        set_casting_policy(before)  # which keeps its loss scaler


def disable() -> None:
    """Turn mixed precision off: operators compute in the dtypes of their inputs."""
    set_casting_policy(None)


@contextmanager
def autocast(
    target_dtype: object = "float16",
    target_precision_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Conditions | None = None,
    fp32_ops: Sequence[str] | None = None,
) -> Iterator[Policy]:
    """Scope in which mixed precision is on for this thread; see the arguments of :func:`init`.

    Like ``autograd.record``, it does not affect other threads.

    Example:
        >>> from hy_ndarray import nd
        >>> with autocast():
        ...     product = nd.FullyConnected(nd.ones((1, 2)), nd.ones((3, 2)), None, num_hidden=3,
        ...                                 no_bias=True)
        >>> product.dtype, (product + 1).dtype
        (<class 'numpy.float16'>, <class 'numpy.float16'>)
    """
    policy = Policy(target_dtype, target_precision_ops, fp32_ops, conditional_fp32_ops)
    with casting_scope(policy):
        yield policy
