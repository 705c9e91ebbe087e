"""Type rules of optimizer steps: a weight, its gradient and states have one shape."""

from collections.abc import Sequence

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.optimizer.forms import Form
from hy_ndarray.ops.record.rules import expect_axes, floating, same, same_dtype, same_shape
from hy_ndarray.ops.record.types import TensorType, show

__all__ = ["of_many", "of_one", "of_rows"]


def _check_single(*types: TensorType) -> None:
    """Raise :class:`ShapeError` unless each operand has one element."""
    for t in types:
        if t.sizes is not None and t.sizes not in ((1,), ()):
            raise ShapeError(f"{t.label}{show(t.shape)} must have one element")


def of_one(form: Form, data: Sequence[TensorType], params: Params) -> TensorType:
    """Return the type of the new weight (or direction), for a form with one weight.

    Raises:
        ShapeError: The shapes differ, or a hyperparameter has more than one element.
        DTypeError: The dtypes do not match.
    """
    by_name = dict(zip(form.inputs, data, strict=True))
    scalar_inputs = [by_name.pop(name) for name in form.scalar_inputs]
    _check_single(*scalar_inputs)
    weight, *others = by_name.values()
    floating(weight)
    if not form.mixed:
        if scalar_inputs and not form.guard:
            floating(weight, *others, *scalar_inputs)
        return same(weight, *others)
    narrow, wide = (1, others) if scalar_inputs and not form.guard else (2, others[1:])
    same_shape(weight, *others)
    if narrow > 1:
        same_dtype(weight, others[0])
    for t in wide:
        t.set_dtype("float32")
    return wide[-1] if form.direction else weight


def of_rows(form: Form, data: Sequence[TensorType], params: Params) -> TensorType:
    """Return the type of the new weight, for a state with one number per row.

    Raises:
        ShapeError: The shapes do not match.
    """
    weight, grad, history = data
    floating(weight, grad, history)
    same_shape(weight, grad)
    expect_axes(weight, 1)
    history.set_shape((None if weight.shape is None else weight.shape[0], 1))
    return weight


def of_many(form: Form, data: Sequence[TensorType], params: Params) -> tuple[TensorType, ...]:
    """Return the types of the new weights, for a form with many weights.

    In mixed precision weights and gradients are 16-bit, and all other arrays float32.

    Raises:
        ArgumentError: A per-weight parameter does not have one number per weight.
        ShapeError: The number of arrays is wrong, or the shapes in a group differ.
    """
    count, group = params[form.count], form.group
    for name in form.plural.values():
        if name in params and len(params[name]) != count:
            raise ArgumentError(
                f"parameter {name} has {len(params[name])} numbers for {count} weights; pass one "
                "for each"
            )
    extra = 2 if form.preloaded else len(form.scalar_inputs)
    if len(data) < extra:
        raise ShapeError(
            f"{len(data)} arrays were given; the last {extra} must be the learning rates and "
            "weight decays"
        )
    own, more = data[: len(data) - extra], data[len(data) - extra :]
    for t in more:
        if form.preloaded:
            t.set_shape((count,))
        else:
            _check_single(t)
    if count < 1 or len(own) != count * group:
        raise ShapeError(f"{count} weights need {group} arrays each, got {len(own)}")
    weights = []
    for start in range(0, len(own), group):
        arrays = own[start : start + group]
        same_shape(*arrays)
        narrow = 2 if form.mixed else group
        floating(*arrays[:narrow])
        for t in arrays[narrow:]:
            t.set_dtype("float32")
        weights.append(arrays[0])
    return tuple(weights)
