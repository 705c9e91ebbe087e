"""Initializers: the values that parameters start from, chosen by name, by pattern or by object."""

import json
import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from hy_gluon import files
from hy_gluon._errors import InitializerError
from hy_ndarray import NDArray, ShapeError, nd

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]

_log = logging.getLogger(__name__)
_registry: dict[str, type["Initializer"]] = {}
_Class = TypeVar("_Class", bound="type[Initializer]")


class InitDesc(str):
    """Name of an array to initialize, and what its variable says about that.

    Args:
        name: Name of the parameter; its ending decides where nothing else does.
        attrs: Attributes of the variable; ``"__init__"`` holds an initializer of its own.
        global_init: Initializer of the whole network.
    """

    __slots__ = ("attrs", "global_init")

    attrs: dict[str, Any]
    global_init: Any

    def __new__(
        cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None
    ) -> "InitDesc":
        """A string that carries attributes."""
        desc = super().__new__(cls, name)
        desc.attrs = attrs or {}
        desc.global_init = global_init
        return desc


class Initializer:
    """Base of all initializers; subclasses define ``_init_weight(name, array)``.

    Called with a description and an array, it fills the array. An initializer in the description
    comes first; else the ending of the name decides: weights get the initializer's own values,
    biases, betas and running means 0, gammas and running variances 1.

    Args:
        kwargs: What the initializer was made with; :meth:`dumps` writes it.

    Example:
        >>> bias = nd.empty((2,))
        >>> Xavier()(InitDesc("fc_bias"), bias)
        >>> bias.asnumpy()
        array([0., 0.], dtype=float32)
    """

    __hash__ = None  # type: ignore[assignment]  # equal by value, and values may change

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], object] | None = None

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[NDArray], object] | None = None
    ) -> "Initializer":
        """Switch messages about each initialized array on or off.

        Args:
            verbose: Whether to log a line (level INFO) for each array.
            print_func: What to show of the array; the root of its mean square if None.

        Returns:
            The initializer itself.
        """
        self._verbose = verbose
        self._print_func = print_func
        return self

    def dumps(self) -> str:
        """JSON that :func:`create` makes an equal initializer from: ``["name", {arguments}]``.

        Example:
            >>> Normal(0.1).dumps()
            '["normal", {"sigma": 0.1}]'
        """
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.dumps() == self.dumps()

    def __call__(self, desc: str, arr: NDArray) -> None:
        if not isinstance(desc, str):
            raise InitializerError(f"an initializer takes a name first, not a {_kind(desc)}")
        if not isinstance(desc, InitDesc):
            desc = InitDesc(desc)
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__")
        if own:
            create(own)._init_weight(desc, arr)
            self._report(desc, own, arr)
            return
        for ending, method in _BY_ENDING:
            if desc.endswith(ending):
                getattr(self, method)(desc, arr)
                self._report(desc, ending, arr)
                return
        self._init_default(desc, arr)

    def _report(self, desc: str, what: object, arr: NDArray) -> None:
        if self._verbose:
            shown = self._print_func(arr) if self._print_func else _root_mean_square(arr)
            _log.info("initialized %s as %s: %s", desc, what, shown)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        """Fill a weight; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define _init_weight")

    def _init_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_beta(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_gamma(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_zero(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_one(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_quantized_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_quantized_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = nd.array(np.random.randint(-127, 127, arr.shape), dtype=arr.dtype)  # noqa: NPY002  # MXNet's draw

    def _init_default(self, name: str, _: NDArray) -> None:
        raise InitializerError(
            f"no initializer is known for an array named {name!r}: names end in 'weight', 'bias', "
            "'gamma' or 'beta'; give the parameter an initializer of its own (init=...)"
        )


_BY_ENDING = (
    ("weight", "_init_weight"),
    ("bias", "_init_bias"),
    ("gamma", "_init_gamma"),
    ("beta", "_init_beta"),
    ("min", "_init_zero"),
    ("max", "_init_one"),
    ("weight_quantize", "_init_quantized_weight"),
    ("bias_quantize", "_init_quantized_bias"),
    ("running_mean", "_init_zero"),
    ("moving_mean", "_init_zero"),
    ("running_var", "_init_one"),
    ("moving_var", "_init_one"),
    ("moving_inv_var", "_init_zero"),
    ("moving_avg", "_init_zero"),
)


def _kind(value: object) -> str:
    return type(value).__name__


def _root_mean_square(arr: NDArray) -> float:
    values = arr.asnumpy().astype(np.float64)
    return float(np.sqrt(np.mean(values * values))) if values.size else 0.0


# --- registry --------------------------------------------------------------------------------


def register(klass: _Class) -> _Class:
    """Make an initializer known to :func:`create` by the name of its class, in lower case.

    Example:
        >>> @register
        ... class Half(Initializer):
        ...     def _init_weight(self, name, array):
        ...         array[:] = 0.5
        >>> create("half").dumps()
        '["half", {}]'
    """
    return alias(klass.__name__)(klass)


def alias(*aliases: str) -> Callable[[_Class], _Class]:
    """As :func:`register`, under other names."""

    def add(klass: _Class) -> _Class:
        if not (isinstance(klass, type) and issubclass(klass, Initializer)):
            raise InitializerError(f"only subclasses of Initializer can be registered, not {klass}")
        for name in aliases:
            before = _registry.get(name.lower())
            if before is not None and before is not klass:
                _log.warning("initializer %r is now %s instead of %s", name, klass, before)
            _registry[name.lower()] = klass
        return klass

    return add


def create(init: Any, *args: Any, **kwargs: Any) -> Any:
    """An initializer out of its name, of what :meth:`Initializer.dumps` wrote, or of itself.

    Args:
        init: A registered name, a JSON string, an initializer, or another function that takes a
            name and an array.
        args: Arguments of the class, after a name.
        kwargs: Named arguments of the class.

    Raises:
        InitializerError: No such initializer is registered, or ``init`` is none of these.

    Example:
        >>> create("xavier", magnitude=2).magnitude
        2.0
    """
    if isinstance(init, str):
        if init.startswith("["):
            name, arguments = _parsed(init)
            kwargs = {**arguments, **kwargs}
        else:
            name = init
        klass = _registry.get(name.lower())
        if klass is None:
            known = ", ".join(sorted(_registry))
            raise InitializerError(f"no initializer {name!r} is registered; known: {known}")
        return klass(*args, **kwargs)
    if not callable(init) or isinstance(init, type):
        raise InitializerError(f"an initializer or the name of one was expected, not {init!r}")
    if args or kwargs:
        raise InitializerError(f"{init!r} is made already and takes no more arguments")
    return init


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    try:
        name, arguments = json.loads(text)
    except ValueError as error:
        raise InitializerError(f"initializer {text!r} is not ['name', {{arguments}}]") from error
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise InitializerError(f"initializer {text!r} is not ['name', {{arguments}}]")
    return name, arguments


# --- combinations ----------------------------------------------------------------------------


class Load:
    """Takes values from loaded parameters.

    Args:
        param: Arrays by name, with or without ``arg:`` and ``aux:``, or a file of them.
        default_init: For names that are not there.
        verbose: Whether to log a line (level INFO) for each array.

    Raises:
        InitializerError: When called: a name is missing and there is no ``default_init``.
        ShapeError: When called: the shapes differ.
    """

    def __init__(
        self,
        param: Mapping[str, Any] | str,
        default_init: Callable[[str, NDArray], object] | None = None,
        verbose: bool = False,
    ) -> None:
        loaded = files.load(param) if isinstance(param, str) else param
        if not isinstance(loaded, Mapping):
            raise InitializerError("Load takes arrays by name, and these have no names")
        self.param = {_without_mark(name): array for name, array in loaded.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        if name not in self.param:
            if self.default_init is None:
                raise InitializerError(
                    f"parameter {name!r} is not among the loaded ones; give Load a default_init"
                )
            self.default_init(name, arr)
            how = "by default"
        else:
            value = self.param[name]
            if tuple(value.shape) != arr.shape:
                raise ShapeError(
                    f"parameter {name!r} {arr.shape} cannot take the loaded {tuple(value.shape)}"
                )
            arr[:] = value
            how = "by loading"
        if self.verbose:
            _log.info("initialized %s %s", name, how)


def _without_mark(name: str) -> str:
    return name[4:] if name.startswith(("arg:", "aux:")) else name


class Mixed:
    """The first initializer whose pattern matches the name.

    Args:
        patterns: Regular expressions, matched from the beginning of a name.
        initializers: One for each pattern.

    Raises:
        InitializerError: Their numbers differ; when called: no pattern matches.

    Example:
        >>> init = Mixed(["fc1_.*", ".*"], [Zero(), One()])
        >>> weight = nd.empty((2,))
        >>> init("fc2_weight", weight)
        >>> weight.asnumpy()
        array([1., 1.], dtype=float32)
    """

    def __init__(
        self, patterns: Sequence[str], initializers: Sequence[Callable[[str, NDArray], object]]
    ) -> None:
        if len(patterns) != len(initializers):
            raise InitializerError(
                f"Mixed: {len(patterns)} patterns, but {len(initializers)} initializers"
            )
        self.map = [(re.compile(p), init) for p, init in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: NDArray) -> None:
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise InitializerError(
            f"parameter {name!r} matches no pattern; add '.*' with an initializer at the end"
        )


# --- constants -------------------------------------------------------------------------------


@register
@alias("zeros")
class Zero(Initializer):
    """Zeros."""

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0


@register
@alias("ones")
class One(Initializer):
    """Ones."""

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0


@register
class Constant(Initializer):
    """One value, or an array of the parameter's shape.

    Args:
        value: The value.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        value = np.asarray(self.value) if isinstance(self.value, list | tuple) else self.value
        arr[:] = value

    def dumps(self) -> str:
        """As :meth:`Initializer.dumps`; an array becomes nested lists."""
        value = self.value.tolist() if hasattr(self.value, "tolist") else self.value
        return json.dumps([type(self).__name__.lower(), {**self._kwargs, "value": value}])


@register
class Bilinear(Initializer):
    """Weights with which a transposed convolution enlarges an image by linear interpolation."""

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if len(arr.shape) < 2:  # noqa: PLR2004
            raise ShapeError(f"Bilinear: parameter {name!r} {arr.shape} has no height and width")
        height, width = arr.shape[-2:]
        half = math.ceil(width / 2.0)
        centre = (2 * half - 1 - half % 2) / (2.0 * half)
        rows = 1 - np.abs(np.arange(height) / half - centre)
        columns = 1 - np.abs(np.arange(width) / half - centre)
        window = np.outer(rows, columns).astype(np.float32)
        arr[:] = nd.array(np.broadcast_to(window, arr.shape), dtype=arr.dtype)


@register
class LSTMBias(Initializer):
    """Zeros, and ``forget_bias`` for the forget gate, the second quarter of an LSTM's bias.

    Args:
        forget_bias: Above 0 lets the cell remember at the beginning of training.

    Source:
        Jozefowicz, Zaremba, Sutskever 2015, "An empirical exploration of recurrent network
        architectures", section 2.2.
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _: str, arr: NDArray) -> None:
        hidden = arr.shape[0] // 4
        arr[:] = 0.0
        arr[hidden : 2 * hidden] = self.forget_bias


# --- random numbers --------------------------------------------------------------------------


def _fill_uniform(arr: NDArray, low: float, high: float) -> None:
    arr[:] = nd.random.uniform(low, high, shape=arr.shape, ctx=arr.context)


def _fill_normal(arr: NDArray, sigma: float) -> None:
    arr[:] = nd.random.normal(0.0, sigma, shape=arr.shape, ctx=arr.context)


@register
class Uniform(Initializer):
    """Uniform between ``-scale`` and ``scale``.

    Args:
        scale: The bound.
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _fill_uniform(arr, -self.scale, self.scale)


@register
class Normal(Initializer):
    """Normal around 0.

    Args:
        sigma: The standard deviation.
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _fill_normal(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """Orthogonal rows or columns, whichever are fewer, of length ``scale``.

    Args:
        scale: Length of each.
        rand_type: Distribution of the matrix they are taken from: ``"uniform"`` or ``"normal"``.

    Source:
        Saxe, McClelland, Ganguli 2014, arXiv:1312.6120.
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise InitializerError(
                f"Orthogonal: rand_type {rand_type!r} is not 'uniform' or 'normal'"
            )
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, _: str, arr: NDArray) -> None:
        rows = arr.shape[0]
        columns = math.prod(arr.shape[1:])
        draw = nd.random.uniform if self.rand_type == "uniform" else nd.random.normal
        first = -1.0 if self.rand_type == "uniform" else 0.0
        source = draw(first, 1.0, shape=(rows, columns)).asnumpy()
        left, _values, right = np.linalg.svd(source, full_matrices=False)
        matrix: npt.NDArray[Any] = left if left.shape == source.shape else right
        arr[:] = nd.array(self.scale * matrix.reshape(arr.shape), dtype=arr.dtype)


@register
class Xavier(Initializer):
    """Keeps the variance of activations about equal from layer to layer.

    Uniform between ``-s`` and ``s``, or normal with the standard deviation ``s``, where
    ``s = sqrt(magnitude / fan)``.

    Args:
        rnd_type: ``"uniform"`` or ``"gaussian"``.
        factor_type: What ``fan`` is: ``"in"``, ``"out"`` or ``"avg"``, their mean.
        magnitude: See above.

    Raises:
        InitializerError: ``rnd_type`` or ``factor_type`` is none of these.
        ShapeError: When called: the array has fewer than two axes.

    Source:
        Glorot, Bengio 2010, "Understanding the difficulty of training deep feedforward neural
        networks".
    """

    _FAN: ClassVar[dict[str, Callable[[float, float], float]]] = {
        "avg": lambda fan_in, fan_out: (fan_in + fan_out) / 2.0,
        "in": lambda fan_in, _: fan_in,
        "out": lambda _, fan_out: fan_out,
    }

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        if rnd_type not in ("uniform", "gaussian"):
            raise InitializerError(f"Xavier: rnd_type {rnd_type!r} is not 'uniform' or 'gaussian'")
        if factor_type not in self._FAN:
            raise InitializerError(f"Xavier: factor_type {factor_type!r} is not in, out or avg")
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if len(arr.shape) < 2:  # noqa: PLR2004
            raise ShapeError(
                f"{type(self).__name__} needs two axes or more: parameter {name!r} is {arr.shape}; "
                "give it another initializer"
            )
        window = math.prod(arr.shape[2:])
        fan = self._FAN[self.factor_type](arr.shape[1] * window, arr.shape[0] * window)
        scale = math.sqrt(self.magnitude / fan)
        if self.rnd_type == "uniform":
            _fill_uniform(arr, -scale, scale)
        else:
            _fill_normal(arr, scale)


@register
class MSRAPrelu(Xavier):
    """Xavier's scheme for layers followed by PReLU or leaky ReLU; ``slope=0`` for ReLU.

    Args:
        factor_type: As for :class:`Xavier`.
        slope: Slope for negative inputs.

    Source:
        He, Zhang, Ren, Sun 2015, arXiv:1502.01852, eq. 15.
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class FusedRNN(Initializer):
    """Fills the parameter vector of the ``RNN`` operator.

    Args:
        init: For the weights; the network's if None.
        num_hidden: Size of the state.
        num_layers: Number of layers.
        mode: ``"rnn_relu"``, ``"rnn_tanh"``, ``"lstm"`` or ``"gru"``.
        bidirectional: Whether each layer runs in both directions.
        forget_bias: Bias of the forget gate of an LSTM.
    """

    _GATES: ClassVar[dict[str, int]] = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        if mode not in self._GATES:
            raise InitializerError(f"FusedRNN: mode {mode!r} is not one of {', '.join(self._GATES)}")
        init = None if init is None else create(init)
        super().__init__(
            init=None if init is None else init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        self._init = init
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._directions = 2 if bidirectional else 1
        self._forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        hidden, layers = self._num_hidden, self._num_layers
        rows = self._GATES[self._mode] * hidden
        biases = layers * self._directions * 2 * rows
        hidden_inputs = (layers - 1) * self._directions * rows * (self._directions + 1) * hidden
        first = arr.shape[0] - biases - hidden_inputs - self._directions * rows * hidden
        inputs = first // (self._directions * rows)
        if arr.ndim != 1 or inputs < 1 or first != inputs * self._directions * rows:
            raise ShapeError(
                f"FusedRNN: parameter {name!r} {arr.shape} is no vector of {layers} layers of "
                f"{hidden} {self._mode} units"
            )
        parts: list[NDArray] = []
        for layer in range(layers):
            columns = inputs if layer == 0 else self._directions * hidden
            for _ in range(self._directions):
                parts += [self._weight(name, rows, n) for n in (columns, hidden)]
        bias = np.zeros((biases // rows, rows), np.float32)
        if self._mode == "lstm":
            bias[:, hidden : 2 * hidden] = self._forget_bias
        values = [part.asnumpy().ravel() for part in parts]
        arr[:] = nd.array(np.concatenate([*values, bias.ravel()]), dtype=arr.dtype)

    def _weight(self, name: str, rows: int, columns: int) -> NDArray:
        weight: NDArray = nd.zeros((rows, columns))
        source = self._init
        if source is None:
            source = getattr(name, "global_init", None)
        if source is None or source is self:
            raise InitializerError(f"FusedRNN: parameter {name!r}: no initializer for the weights")
        source(InitDesc(f"{name}_weight"), weight)
        return weight
