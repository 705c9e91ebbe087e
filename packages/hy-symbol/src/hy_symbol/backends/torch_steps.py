"""PyTorch functions for the operators that the backend ``torch_compile`` takes."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

from hy_ndarray import Params

__all__ = ["STEPS", "Call", "Step"]

Tensor: TypeAlias = Any
Function: TypeAlias = Callable[..., Any]


class Call(NamedTuple):
    """Parameters and types of a node, from which a function of PyTorch tensors is built."""

    torch: Any
    """The module ``torch``."""
    params: Params
    shapes: Sequence[tuple[int, ...]]
    """Shapes of the inputs."""
    shape: tuple[int, ...]
    """Shape of the first output."""
    dtype: Any
    """PyTorch's dtype of the first output."""

    @property
    def functional(self) -> Any:
        """Return ``torch.nn.functional``."""
        return self.torch.nn.functional

    @property
    def rank(self) -> int:
        """Number of axes of the first input."""
        return len(self.shapes[0])


class Step(NamedTuple):
    """PyTorch function of an operator, and the condition for using it."""

    make: Callable[[Call], Function]
    """Builds the function, which maps the node's inputs to its visible outputs."""
    when: Callable[[Params], bool]
    """Predicate: whether PyTorch supports the operator with these parameters."""
    from_any: bool = False
    """Whether inputs may have other than floating dtypes: indices, labels, operands of casts."""


STEPS: dict[str, Step] = {}
"""Steps by canonical name of the operator."""


def _always(_: Params) -> bool:
    return True


def _define_step(
    *names: str, when: Callable[[Params], bool] = _always, from_any: bool = False
) -> Callable[[Callable[[Call], Function]], Callable[[Call], Function]]:
    def register(make: Callable[[Call], Function]) -> Callable[[Call], Function]:
        STEPS.update({name: Step(make, when, from_any) for name in names})
        return make

    return register


# --- layers ---------------------------------------------------------------------------------------


def _channels_first(params: Params) -> bool:
    return params["layout"] in (None, "NCW", "NCHW", "NCDHW") and len(params["kernel"]) in (1, 2, 3)


def _deconvolution_fits(params: Params) -> bool:
    strides = params["stride"] or (1,) * len(params["kernel"])
    adj = params["adj"] or (0,) * len(strides)
    # torch refuses adj of a stride or more.
    small = all(a < s for a, s in zip(adj, strides, strict=False))
    return _channels_first(params) and not params["target_shape"] and small


def _pooling_fits(params: Params) -> bool:
    if params["pool_type"] not in ("max", "avg") or params["layout"] not in (
        None,
        "NCW",
        "NCHW",
        "NCDHW",
    ):
        return False
    kernel = params["kernel"]
    if params["global_pool"]:
        return True
    pad = params["pad"] or (0,) * len(kernel)
    # torch refuses pads of more than half a window.
    halves = all(2 * p <= k for p, k in zip(pad, kernel, strict=False))
    return params["pooling_convention"] == "valid" and len(kernel) in (1, 2, 3) and halves


def _window_sizes(params: Params, *names: str) -> dict[str, Any]:
    """Return parameters of a window by name, with defaults for omitted ones: pad 0, others 1."""
    rank = len(params["kernel"])
    return {name: tuple(params[name] or (0 if name == "pad" else 1,) * rank) for name in names}


@_define_step("FullyConnected")
def _fully_connected(call: Call) -> Function:
    linear: Function = call.functional.linear
    if not call.params["flatten"]:
        return linear
    rows = (call.shapes[0][0], prod(call.shapes[0][1:]))
    return lambda x, *others: linear(x.reshape(rows), *others)


@_define_step("Convolution", "Convolution_v1", when=_channels_first)
def _convolution(call: Call) -> Function:
    params = call.params
    function = getattr(call.functional, f"conv{len(params['kernel'])}d")
    options = _window_sizes(params, "stride", "pad", "dilate")
    strides, pad, dilate = options["stride"], options["pad"], options["dilate"]
    groups = params["num_group"]
    return lambda x, weight, bias=None: function(x, weight, bias, strides, pad, dilate, groups)


@_define_step("Deconvolution", when=_deconvolution_fits)
def _deconvolution(call: Call) -> Function:
    params = call.params
    rank = len(params["kernel"])
    function = getattr(call.functional, f"conv_transpose{rank}d")
    options = _window_sizes(params, "stride", "pad", "dilate")
    adj = tuple(params["adj"] or (0,) * rank)
    positional = options["stride"], options["pad"], adj, params["num_group"], options["dilate"]
    return lambda x, weight, bias=None: function(x, weight, bias, *positional)


@_define_step("Pooling", when=_pooling_fits)
def _pooling(call: Call) -> Function:
    params, functional = call.params, call.functional
    largest = params["pool_type"] == "max"
    if params["global_pool"]:
        space = tuple(range(2, call.rank))
        return lambda x: x.amax(space, keepdim=True) if largest else x.mean(space, keepdim=True)
    rank = len(params["kernel"])
    options = _window_sizes(params, "stride", "pad")
    positional = params["kernel"], options["stride"], options["pad"]
    if largest:
        function = getattr(functional, f"max_pool{rank}d")
        return lambda x: function(x, *positional)
    function = getattr(functional, f"avg_pool{rank}d")
    padded = params["count_include_pad"] is not False
    dtype = call.dtype
    if rank == 3 and dtype.itemsize == 2:  # noqa: PLR2004  # PyTorch has none of 16 bits on a CPU
        return lambda x: function(x.float(), *positional, count_include_pad=padded).to(dtype)
    return lambda x: function(x, *positional, count_include_pad=padded)


@_define_step(
    "BatchNorm",
    "BatchNorm_v1",
    "_contrib_SyncBatchNorm",
    when=lambda params: not params["output_mean_var"],
)
def _batch_norm(call: Call) -> Function:
    params, function = call.params, call.functional.batch_norm
    axis, eps, fixed = params.get("axis", 1), params["eps"], params["fix_gamma"]

    def run(x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, var: Tensor) -> Tensor:
        # A fixed gamma counts as ones, whatever it holds.
        scale = None if fixed else gamma
        y = function(x.movedim(axis, 1), mean, var, scale, beta, False, 0.0, eps)
        return y.movedim(1, axis)

    return run


@_define_step(
    "LayerNorm", when=lambda params: params["axis"] == -1 and not params["output_mean_var"]
)
def _layer_norm(call: Call) -> Function:
    function, eps, shape = call.functional.layer_norm, call.params["eps"], call.shapes[0][-1:]
    return lambda x, gamma, beta: function(x, shape, gamma, beta, eps)


@_define_step("Embedding", from_any=True)
def _embedding(call: Call) -> Function:
    last = call.shapes[1][0] - 1
    # Clipped, as MXNet's Embedding reads indices outside.
    return lambda x, weight: weight[x.long().clamp(0, last)]


# A backend runs predictions alone, in which nothing is dropped.
@_define_step("Dropout", when=lambda params: params["mode"] != "always")
@_define_step("_copy", "BlockGrad")
def _identity(_: Call) -> Function:
    return lambda x: x


# --- softmax --------------------------------------------------------------------------------------


def _plain_softmax(params: Params) -> bool:
    return not params["use_length"] and params["dtype"] is None


def _softmax_function(call: Call, name: str) -> Function:
    function, axis = getattr(call.torch, name), call.params["axis"]
    temperature = call.params["temperature"]
    if temperature in (None, 1.0):
        return lambda x: function(x, axis)
    return lambda x: function(x / temperature, axis)


@_define_step("softmax", when=_plain_softmax)
def _softmax(call: Call) -> Function:
    return _softmax_function(call, "softmax")


@_define_step("log_softmax", when=_plain_softmax)
def _log_softmax(call: Call) -> Function:
    return _softmax_function(call, "log_softmax")


@_define_step(
    "SoftmaxOutput",
    when=lambda params: not params["multi_output"] and not params["preserve_shape"],
    from_any=True,
)
def _softmax_output(call: Call) -> Function:
    torch, shape = call.torch, call.shapes[0]
    rows = (shape[0], prod(shape[1:]))
    return lambda x, _: torch.softmax(x.reshape(rows), 1).reshape(shape)


# --- element by element ---------------------------------------------------------------------------

_ACTIVATIONS = ("relu", "sigmoid", "softsign", "tanh")


@_define_step("Activation")
def _activation(call: Call) -> Function:
    kind = call.params["act_type"]
    function: Function = getattr(call.functional, kind if kind in _ACTIVATIONS else "softplus")
    return function


@_define_step("LeakyReLU", when=lambda params: params["act_type"] != "rrelu")
def _leaky_relu(call: Call) -> Function:
    functional, params = call.functional, call.params
    kind, slope = params["act_type"], params["slope"]
    if kind == "prelu":
        return _prelu(call)
    if kind in ("gelu", "selu"):
        function: Function = getattr(functional, kind)
        return function
    if kind == "elu":
        return lambda x: functional.elu(x, slope)
    return lambda x: functional.leaky_relu(x, slope)


def _prelu(call: Call) -> Function:
    torch, shape = call.torch, call.shapes[1]
    if len(shape) == 1 and call.rank > 1:  # one slope per channel
        shape = (*shape, *(1,) * (call.rank - 2))

    def run(x: Tensor, gamma: Tensor) -> Tensor:
        # PyTorch's own takes one slope, or one for each channel, and no other shape.
        return torch.where(x > 0, x, x * gamma.reshape(shape))

    return run


def _unary(name: str, torch_name: str) -> None:
    STEPS[name] = Step(lambda call: getattr(call.torch, torch_name), _always)


def _binary(torch_name: str, *names: str) -> None:
    for name in names:
        STEPS[name] = Step(lambda call: getattr(call.torch, torch_name), _always)


def _scalar(name: str, function: Callable[[Any, Tensor, float], Tensor]) -> None:
    def make(call: Call) -> Function:
        torch, number = call.torch, call.params["scalar"]
        return lambda x: function(torch, x, number)

    STEPS[name] = Step(make, _always)


for _name in (
    "abs",
    "negative",
    "reciprocal",
    "square",
    "sqrt",
    "rsqrt",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "tanh",
    "sigmoid",
    "relu",
    "erf",
    "floor",
    "ceil",
    "trunc",
):
    _unary(_name, _name)
_binary("add", "elemwise_add", "broadcast_add")
_binary("sub", "elemwise_sub", "broadcast_sub")
_binary("mul", "elemwise_mul", "broadcast_mul")
_binary("div", "elemwise_div", "broadcast_div")
_binary("maximum", "_maximum", "broadcast_maximum")
_binary("minimum", "_minimum", "broadcast_minimum")
_scalar("_plus_scalar", lambda _, x, number: x + number)
_scalar("_minus_scalar", lambda _, x, number: x - number)
_scalar("_rminus_scalar", lambda _, x, number: number - x)
_scalar("_mul_scalar", lambda _, x, number: x * number)
_scalar("_div_scalar", lambda _, x, number: x / number)
_scalar("_rdiv_scalar", lambda _, x, number: number / x)
_scalar("_power_scalar", lambda torch, x, number: torch.pow(x, number))
_scalar("_rpower_scalar", lambda torch, x, number: torch.pow(number, x))
_scalar("_maximum_scalar", lambda torch, x, number: torch.clamp(x, min=number))
_scalar("_minimum_scalar", lambda torch, x, number: torch.clamp(x, max=number))


@_define_step("clip")
def _clip(call: Call) -> Function:
    torch, low, high = call.torch, call.params["a_min"], call.params["a_max"]
    return lambda x: torch.clamp(x, low, high)


@_define_step("add_n")
def _add_n(_: Call) -> Function:
    def run(first: Tensor, *others: Tensor) -> Tensor:
        for other in others:
            first = first + other
        return first

    return run


@_define_step("Cast", "amp_cast", when=lambda params: "float" in params["dtype"], from_any=True)
def _cast(call: Call) -> Function:
    dtype = call.dtype
    return lambda x: x.to(dtype)


# --- shapes and products --------------------------------------------------------------------------


@_define_step("Flatten", "Reshape", "expand_dims", "squeeze")
def _reshape(call: Call) -> Function:
    shape = call.shape
    return lambda x: x.reshape(shape)


@_define_step("transpose")
def _transpose(call: Call) -> Function:
    axes = tuple(call.params["axes"] or reversed(range(call.rank)))
    return lambda x: x.permute(axes)


@_define_step("SwapAxis")
def _swapaxes(call: Call) -> Function:
    first, second = call.params["dim1"], call.params["dim2"]
    return lambda x: x.transpose(first, second)


@_define_step("Concat")
def _concat(call: Call) -> Function:
    torch, axis = call.torch, call.params["dim"]
    return lambda *xs: torch.cat(xs, axis)


@_define_step("stack")
def _stack(call: Call) -> Function:
    torch, axis, shape = call.torch, call.params["axis"], call.shapes[0]
    if len(set(call.shapes)) > 1:
        return lambda *xs: torch.stack([x.reshape(shape) for x in xs], axis)
    return lambda *xs: torch.stack(xs, axis)


@_define_step("SliceChannel")
def _slice_channel(call: Call) -> Function:
    params = call.params
    axis, count = params["axis"], params["num_outputs"]
    if params["squeeze_axis"]:
        return lambda x: x.unbind(axis)
    size = call.shapes[0][axis] // count
    return lambda x: x.split(size, axis)


@_define_step("dot", when=lambda params: not (params["transpose_a"] or params["transpose_b"]))
def _dot(call: Call) -> Function:
    torch, shape = call.torch, call.shape
    # dot sums the last axis of a with the first of b, of any ranks.
    return lambda a, b: torch.tensordot(a, b, 1).reshape(shape)


@_define_step("batch_dot")
def _batch_dot(call: Call) -> Function:
    torch, flip_a, flip_b = call.torch, call.params["transpose_a"], call.params["transpose_b"]

    def run(a: Tensor, b: Tensor) -> Tensor:
        return torch.matmul(a.mT if flip_a else a, b.mT if flip_b else b)

    return run


def _reduction(name: str, torch_name: str) -> None:
    def make(call: Call) -> Function:
        axes, shape = _reduced_axes(call.params, call.rank), call.shape
        function = getattr(call.torch, torch_name)
        if not axes:  # all of them are excluded
            return lambda x: x.reshape(shape)
        return lambda x: function(x, axes).reshape(shape)

    STEPS[name] = Step(make, _always)


def _reduced_axes(params: Mapping[str, Any], rank: int) -> tuple[int, ...]:
    axis_param = params["axis"]
    listed = (axis_param,) if isinstance(axis_param, int) else axis_param
    if not listed:
        return tuple(range(rank))
    axes = {axis % rank for axis in listed}
    return tuple(axis for axis in range(rank) if (axis in axes) != params["exclude"])


_reduction("sum", "sum")
_reduction("mean", "mean")
_reduction("max", "amax")
_reduction("min", "amin")
