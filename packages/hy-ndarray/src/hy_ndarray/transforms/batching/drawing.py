"""Batching rules of random operators: samples draw the same or different numbers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hy_ndarray._errors import TransformError
from hy_ndarray.random import before_draws, replaying
from hy_ndarray.transforms._calls import Inner, drawn_seed, outputs_of
from hy_ndarray.transforms.batching.elementwise import pointwise
from hy_ndarray.transforms.batching.looping import each_sample
from hy_ndarray.transforms.batching.rule import BatchedCall

__all__ = ["drawing_below", "drawn"]

_SHAPE_PARAMETERS = ("shape", "size")
"""Parameters for the shape of the result, in samplers without operands."""


def drawn(call: BatchedCall, level: Any) -> tuple[Sequence[Inner], bool]:
    """Return the results of a random operator, and whether they differ between samples.

    Raises:
        TransformError: ``vmap`` was called with ``randomness="error"``.
    """
    if level.randomness == "error":
        raise TransformError(
            f"vmap: {call.op.name} draws random numbers, but randomness is not set; use vmap(..., "
            "randomness='same') or randomness='different'"
        )
    if level.randomness == "same":
        return _draw_same(call, level)
    return _different(call), True


@contextmanager
def drawing_below(level: Any) -> Iterator[None]:
    """Enter a scope in which operators draw random numbers as outside of the level."""
    token = before_draws.set(level.outer_draws)
    try:
        yield
    finally:
        before_draws.reset(token)


def _draw_same(call: BatchedCall, level: Any) -> tuple[Sequence[Inner], bool]:
    if True not in call.mapped:
        return outputs_of(call.op, call.inputs, call.params, call.is_train), False
    # A single call for all samples would draw different numbers for each.
    seed = drawn_seed(level.context)

    def around(_: int, run: Callable[[], Sequence[Inner]]) -> Sequence[Inner]:
        with replaying(lambda: seed):
            return run()

    return each_sample(call, around), True


def _different(call: BatchedCall) -> Sequence[Inner]:
    op, params = call.op, call.params
    if not any(x is not None for x in call.inputs):
        name = next((name for name in _SHAPE_PARAMETERS if name in op.params), None)
        if name is not None:
            sizes = params[name]
            own = () if sizes is None else (sizes,) if isinstance(sizes, int) else tuple(sizes)
            return call.shaped(call.run(call.inputs, **{name: (call.size, *own)}))
    elif op.is_pointwise(params):
        result = _pointwise(call)
        if result is not None:
            return result
    # These operators draw for each element of their parameters, and so for each sample.
    elif op.name.startswith("_sample_") and op.name != "_sample_multinomial":
        return call.run(call.all_full())
    return each_sample(call, lambda _, run: run())


def _pointwise(call: BatchedCall) -> Sequence[Inner] | None:
    """Run a random pointwise operator with different random numbers for each sample."""
    expanded = BatchedCall(
        op=call.op,
        inputs=call.all_full(),
        mapped=[x is not None for x in call.inputs],
        params=_shifted_params(call),
        size=call.size,
        is_train=call.is_train,
    )
    return pointwise(expanded)


def _shifted_params(call: BatchedCall) -> Any:
    """Return the parameters with ``axes`` shifted by one, past the sample axis."""
    axes = call.params.get("axes")
    if not axes:
        return call.params
    rank = call.rank()
    return {**call.params, "axes": tuple(a % rank + 1 for a in axes)}
