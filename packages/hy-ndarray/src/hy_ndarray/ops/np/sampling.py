"""NumPy's random samplers; parameters are numbers, or arrays that broadcast.

A parameter that is an array is passed as None, with the array as an input. Where samples are a
function of the parameters and of noise, the parameters have gradients (reparameterization).
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.families import with_signature
from hy_ndarray.ops.np._rules import fitted
from hy_ndarray.ops.np.arithmetic import np_multiply, np_true_divide
from hy_ndarray.ops.record.params import REQUIRED, Ctx, DType, Floats, Shape, param_of
from hy_ndarray.ops.record.ranges import NonNegativeFloat, PositiveFloat, Probability
from hy_ndarray.ops.record.rules import broadcast_shapes, expect_axes, expect_rank
from hy_ndarray.ops.record.schema import Gradient, OperatorFunction, Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show

NOISY = ("output0", "noise")


def _absent_inputs(*names: str) -> Callable[[Params], tuple[str, ...]]:
    """Return a function that lists the inputs in use: one per parameter that is None."""

    def active(params: Params) -> tuple[str, ...]:
        count = sum(params[name] is None for name in names)
        return ("input1", "input2")[:count]

    return active


def _type_of_draws(
    size: Shape | None, dtype: str, *inputs: TensorType | None, leading_size: bool = False
) -> TensorType:
    """Return the type of samples: the broadcast shape of the parameters, ``size``, or both."""
    own: PartialShape | None = ()
    for t in inputs:
        if t is not None:
            own = broadcast_shapes(own, t.shape)
    if leading_size:
        return TensorType(None if own is None else (*(size or ()), *own), dtype)
    if size is None:
        return TensorType(own, dtype)
    if own is not None and broadcast_shapes(own, size) != size:
        raise ShapeError(f"parameters {show(own)} cannot be broadcast to size={size}")
    return TensorType(size, dtype)


def _array_parameters(saved: Saved, *names: str) -> list[Any]:
    """Return the input array of each named parameter, or None if it is a number."""
    operands = iter(saved.inputs)
    return [next(operands) if saved.params[name] is None else None for name in names]


def _in_input_order(first: Any, second: Any, saved: Saved, name: str) -> tuple[Any, Any]:
    """Return the gradients of two parameters as gradients of the inputs."""
    return (first, second) if saved.params[name] is None else (second, None)


def _grad_location(saved: Saved, dy: Any) -> tuple[Any, Any]:
    loc, scale = _array_parameters(saved, "loc", "scale")
    to_loc = None if loc is None else fitted(dy, loc)
    to_scale = None if scale is None else fitted(dy * saved.outputs[1], scale)
    return _in_input_order(to_loc, to_scale, saved, "loc")


def _grad_scale(saved: Saved, dy: Any) -> tuple[Any]:
    (scale,) = saved.inputs
    return (None if scale is None else fitted(dy * saved.outputs[1], scale),)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any]:
    """Return the gradient of ``noise ** (1 / a)`` with respect to ``a``."""
    (a,) = saved.inputs
    if a is None:
        return (None,)
    y, noise = saved.outputs
    inner = np_multiply(dy * y * log(noise), np_true_divide(a * 0.0 + 1.0, a * a))
    return (fitted(-inner, a),)


def _grad_pareto(saved: Saved, dy: Any) -> tuple[Any]:
    (a,) = saved.inputs
    if a is None:
        return (None,)
    y, noise = saved.outputs
    inner = np_multiply(dy * (y + 1.0) * noise, np_true_divide(a * 0.0 + 1.0, a * a))
    return (fitted(-inner, a),)


def _sampler(
    name: str,
    text: str,
    *,
    grad: Gradient | None = None,
    per_pair: bool = False,
    chooses: Sequence[str] = ("ctx", "dtype"),
    **parameters: Any,
) -> OperatorFunction:
    """Declare the sampling operator of a distribution, and return its function.

    Args:
        name: NumPy's name of the sampler.
        text: The docstring of the operator.
        grad: The gradient function; if given, the noise is a hidden output.
        per_pair: Draw ``size`` numbers for each pair of parameters.
        chooses: Optional parameters of the operator: ``"ctx"``, ``"dtype"`` or both.
        parameters: The annotation of each parameter, or a pair of annotation and default.
    """

    def rule(*inputs: TensorType | None, size: Shape | None, **params: Any) -> Any:
        y = _type_of_draws(size, params.get("dtype", "float32"), *inputs, leading_size=per_pair)
        return y if grad is None else (y, y.with_dtype(y.dtype))

    pairs = {k: v if isinstance(v, tuple) else (v, REQUIRED) for k, v in parameters.items()}
    inputs = ("input1", "input2")[: len(pairs)]
    signature = with_signature(
        rule,
        f"np_{name}",
        text,
        inputs=inputs,
        optional=inputs,
        params=[
            *[param_of(k, kind | None, default) for k, (kind, default) in pairs.items()],
            param_of("size", Shape | None, None),
            *[_CHOICES[choice] for choice in chooses],
        ],
    )
    return operator(
        f"_npi_{name}",
        active=_absent_inputs(*pairs),
        outputs=("output",) if grad is None else NOISY,
        visible=None if grad is None else 1,
        needs=("rng",),
        grad=grad,
    )(signature)


_CHOICES = {
    "ctx": param_of("ctx", Ctx, Ctx("cpu")),
    "dtype": param_of("dtype", DType, DType("float32")),
}
_BOUNDS: dict[str, Any] = {"low": float, "high": float}
_PLACE: dict[str, Any] = {"loc": float, "scale": NonNegativeFloat, "grad": _grad_location}
_SCALE: dict[str, Any] = {"scale": (NonNegativeFloat, 1.0), "grad": _grad_scale, "chooses": ["ctx"]}

np_uniform = _sampler(
    "uniform",
    "Numbers of equal probability from ``low`` up to ``high``, in the shape ``size``.",
    **_BOUNDS,
)
np_uniform_n = _sampler(
    "uniform_n",
    "Numbers of equal probability, ``size`` of them for each pair of parameters.",
    per_pair=True,
    **_BOUNDS,
)
np_normal = _sampler("normal", "Numbers of a normal distribution, in the shape ``size``.", **_PLACE)
np_normal_n = _sampler(
    "normal_n",
    "Numbers of a normal distribution, ``size`` of them for each pair of parameters.",
    per_pair=True,
    **_PLACE,
)
np_gamma = _sampler(
    "gamma",
    "Numbers of a gamma distribution, in the shape ``size``.",
    shape=PositiveFloat,
    scale=PositiveFloat,
)
np_gumbel = _sampler(
    "gumbel", "Numbers of a Gumbel distribution, in the shape ``size``.", chooses=["ctx"], **_PLACE
)
np_logistic = _sampler(
    "logistic",
    "Numbers of a logistic distribution, in the shape ``size``.",
    chooses=["ctx"],
    **_PLACE,
)
np_exponential = _sampler(
    "exponential", "Numbers of an exponential distribution of mean ``scale``.", **_SCALE
)
np_rayleigh = _sampler("rayleigh", "Numbers of a Rayleigh distribution.", **_SCALE)
np_pareto = _sampler(
    "pareto",
    "Numbers of a Pareto distribution that begins at 0.",
    a=(PositiveFloat, None),
    grad=_grad_pareto,
    chooses=["ctx"],
)
np_weibull = _sampler(
    "weibull",
    "Numbers of a Weibull distribution of shape ``a``.",
    a=(PositiveFloat, None),
    grad=_grad_power,
    chooses=["ctx"],
)
np_powerd = _sampler(
    "powerd",
    "Numbers from 0 to 1 whose density is ``a * x ** (a - 1)``.",
    a=(PositiveFloat, None),
    chooses=(),
)


def _bernoulli_inputs(params: Params) -> tuple[str, ...]:
    probability = params["logit" if params["is_logit"] else "prob"]
    return ("input1",) if probability is None else ()


@operator("_npi_bernoulli", active=_bernoulli_inputs, needs=("rng",))
def np_bernoulli(
    input1: TensorType | None = None,
    *,
    prob: Probability | None,
    logit: float | None,
    size: Shape | None = None,
    ctx: Ctx = Ctx("cpu"),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
    is_logit: bool,
) -> TensorType:
    """Return 1 with a given probability, else 0; the probability may be given as a logit."""
    return _type_of_draws(size, dtype, input1)


def _choice_inputs(params: Params) -> tuple[str, ...]:
    return ("input1", "input2")[: (params["a"] is None) + params["weighted"]]


@operator("_npi_choice", active=_choice_inputs, needs=("rng",))
def np_choice(
    input1: TensorType | None = None,
    input2: TensorType | None = None,
    *,
    a: int | None,
    size: Shape,
    ctx: Ctx = Ctx("cpu"),  # noqa: B008  # a name, made once
    replace: bool = True,
    weighted: bool = False,
) -> TensorType:
    """Return a random sample of an array, or of the integers from 0 to ``a - 1``.

    Args:
        input1: ``[N]``, the array if ``a`` is None; else the probabilities, if weighted.
        input2: ``[N]``, the probabilities, if ``input1`` is the array and they are given.
        a: Number of integers to choose from.
        size: Shape of the result.
        ctx: Context of the result.
        replace: Whether to draw with replacement.
        weighted: Whether probabilities are given.

    Returns:
        ``size``, int64.

    Raises:
        ArgumentError: There are no elements, or, without replacement, fewer than ``size``.
        ShapeError: An array has no axis, or there is not one probability for each element.
    """
    arrays = [t for t in (input1, input2) if t is not None]
    count = a
    if a is None and arrays:
        expect_axes(arrays[0], 1)
        count = None if arrays[0].shape is None else arrays[0].shape[0]
    is_empty = count is not None and count < 1
    if is_empty and prod(size) > 0:
        raise ArgumentError(f"cannot draw size={size} from {count} elements")
    if weighted and arrays:
        arrays[-1].set_shape((count,))
    if not replace and count is not None and prod(size) > count:
        raise ArgumentError(f"cannot draw size={size} without replacement from {count} elements")
    return TensorType(size, "int64")


_ROUNDING = 1e-6
"""Tolerance by which probabilities may sum to more than 1: a few float32 roundings of 6e-8."""


def _multinomial_inputs(params: Params) -> tuple[str, ...]:
    return ("a",) if params["pvals"] is None else ()


@operator("_npi_multinomial", active=_multinomial_inputs, needs=("rng",))
def np_multinomial(
    a: TensorType | None = None, *, n: int, pvals: Floats | None = None, size: Shape | None = None
) -> TensorType:
    """Return counts of outcomes in ``n`` trials (multinomial distribution).

    Args:
        a: ``[K]``, the probabilities, if ``pvals`` is None.
        n: Number of trials; negative numbers are treated as 0.
        pvals: The probabilities, if they are numbers.
        size: Shape of the experiments, each of ``n`` trials.

    Returns:
        ``[*size, K]``, int64.

    Raises:
        ArgumentError: A probability is negative, or their sum exceeds 1.
    """
    count = None
    if pvals is not None:
        count = len(pvals)
        if min(pvals, default=0) < 0 or sum(pvals) > 1 + _ROUNDING:
            raise ArgumentError(f"pvals must be non-negative and sum to at most 1, got {pvals}")
    if a is not None:
        expect_rank(a, 1)
        count = None if a.shape is None else a.shape[0]
    return TensorType((*(size or ()), count), "int64")
