"""Initializer, its registry, and the description of the array to fill."""

import json
import logging
import math
from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np

from hy_ndarray import HyError, NDArray, ShapeError, nd
from hy_ndarray.suggestion import Suggesting, hint

__all__ = [
    "InitDesc",
    "Initializer",
    "InitializerError",
    "alias",
    "check",
    "create",
    "register",
    "registered",
]

_log = logging.getLogger(__name__)
registered: dict[str, type["Initializer"]] = {}
_Class = TypeVar("_Class", bound="type[Initializer]")


class InitializerError(HyError, TypeError, ValueError, AssertionError):
    """An initializer is unknown, has invalid arguments, or does not support a parameter."""


class InitDesc(str):
    """Name of an array to initialize, with the attributes of its variable.

    Args:
        name: Name of the parameter; its ending selects the values if no initializer does.
        attrs: Attributes of the variable; ``"__init__"`` is the variable's own initializer.
        global_init: Initializer of the whole network.
    """

    __slots__ = ("attrs", "global_init")

    attrs: dict[str, Any]
    global_init: Any

    def __new__(
        cls, name: str, attrs: dict[str, Any] | None = None, global_init: Any = None
    ) -> Self:
        """Create the string ``name`` with the attributes."""
        desc = super().__new__(cls, name)
        desc.attrs = attrs or {}
        desc.global_init = global_init
        return desc

    def __setstate__(self, state: Any) -> None:
        # MXNet's class has a `__dict__`, and pickles it alone; one with slots pickles a pair.
        named = state[1] if isinstance(state, tuple) else state
        self.attrs, self.global_init = named["attrs"], named["global_init"]


class Initializer(Suggesting):  # noqa: PLW1641  # equal by value, and values may change
    """Base class of all initializers; subclasses define ``_init_weight(name, array)``.

    Calling an initializer with a description and an array fills the array. An initializer in the
    description takes precedence; otherwise, the ending of the name decides: weights get the
    initializer's values, biases, betas and running means 0, gammas and running variances 1. A plain
    string is a name without a description: as in MXNet, names that begin with ``upsampling`` then
    get bilinear interpolation, ``stn_loc…weight`` zeros and ``stn_loc…bias`` the identity
    transformation, whatever the initializer.

    Args:
        kwargs: Arguments of the subclass's constructor, for :meth:`dumps`.

    Example:
        >>> from hy_gluon.initializer import Xavier
        >>> bias = nd.empty((2,))
        >>> Xavier()(InitDesc("fc_bias"), bias)
        >>> bias.asnumpy()
        array([0., 0.], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], object] | None = None

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[NDArray], object] | None = None
    ) -> "Initializer":
        """Turn log messages about each initialized array on or off.

        Args:
            verbose: Whether to log a line (level INFO) for each array.
            print_func: Function of the array whose result is logged; the root mean square if None.

        Returns:
            The initializer itself.
        """
        self._verbose = verbose
        self._print_func = print_func
        return self

    def dumps(self) -> str:
        """Return JSON ``["name", {arguments}]``, from which :func:`create` makes an equal one.

        Example:
            >>> from hy_gluon.initializer import Normal
            >>> Normal(0.1).dumps()
            '["normal", {"sigma": 0.1}]'
        """
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.dumps() == self.dumps()

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fill ``arr``, the array that ``desc`` names.

        Raises:
            InitializerError: The ending of the name is unknown, and no initializer is given.
        """
        if not isinstance(desc, str):
            raise InitializerError(
                f"an initializer takes a name first, not a {type(desc).__name__}"
            )
        if not isinstance(desc, InitDesc):
            self._legacy_init(desc, arr)
            return
        if desc.global_init is None:
            desc.global_init = self
        own_init = desc.attrs.get("__init__")
        own = create(own_init) if own_init else None
        if isinstance(own, Initializer):  # Mixed and Load are called instead, and end up here
            own._init_weight(desc, arr)
            self._hy_report(desc, own_init, arr)
            return
        for suffix, method in _BY_SUFFIX:
            if desc.endswith(suffix):
                getattr(self, method)(desc, arr)
                self._hy_report(desc, suffix, arr)
                return
        self._init_default(desc, arr)

    def _hy_report(self, desc: str, what: object, arr: NDArray) -> None:
        if self._verbose:
            shown = self._print_func(arr) if self._print_func else _root_mean_square(arr)
            _log.info("Initialized %s as %s: %s", desc, what, shown)

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

    def _init_bilinear(self, name: str, arr: NDArray) -> None:
        """Fill ``[*, H, W]`` with the filter of bilinear interpolation."""
        if len(arr.shape) < 2:  # noqa: PLR2004
            raise ShapeError(f"parameter {name!r} {arr.shape} has no height and width")
        height, width = arr.shape[-2:]
        half = math.ceil(width / 2.0)
        # Caffe's BilinearFiller; it takes the width for both axes, as MXNet does.
        centre = (2 * half - 1 - half % 2) / (2.0 * half)
        rows = 1 - np.abs(np.arange(height) / half - centre)
        columns = 1 - np.abs(np.arange(width) / half - centre)
        window = np.outer(rows, columns).astype(np.float32)
        arr[:] = nd.array(np.broadcast_to(window, arr.shape), dtype=arr.dtype)

    def _init_loc_bias(self, name: str, arr: NDArray) -> None:
        """Fill six numbers with the affine transformation that changes nothing."""
        if arr.shape != (6,):
            raise ShapeError(f"parameter {name!r} {arr.shape} must have the 6 numbers of a matrix")
        arr[:] = np.array([1, 0, 0, 0, 1, 0])

    def _init_quantized_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_quantized_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = nd.array(np.random.randint(-127, 127, arr.shape), dtype=arr.dtype)  # noqa: NPY002  # MXNet's draw

    def _legacy_init(self, name: str, arr: NDArray) -> None:
        """Fill the array of a plain name."""
        for prefix, suffix, method in _BY_PLAIN_NAME:
            if name.startswith(prefix) and name.endswith(suffix):
                getattr(self, method)(name, arr)
                return
        self._init_default(name, arr)

    def _init_default(self, name: str, arr: NDArray) -> None:
        for suffix, value in _STATISTICS:
            if name.endswith(suffix):
                arr[:] = value
                return
        raise InitializerError(
            f"no initializer is known for an array named {name!r}: names end in 'weight', 'bias', "
            "'gamma' or 'beta'; give the parameter an initializer of its own (init=...)"
        )


_BY_SUFFIX = (
    ("weight", "_init_weight"),
    ("bias", "_init_bias"),
    ("gamma", "_init_gamma"),
    ("beta", "_init_beta"),
    ("min", "_init_zero"),
    ("max", "_init_one"),
    ("weight_quantize", "_init_quantized_weight"),
    ("bias_quantize", "_init_quantized_bias"),
)
# Beginning and ending of a plain name. Layers for upsampling and of spatial transformers come
# first: their names end as those of other layers do.
_BY_PLAIN_NAME = (
    ("upsampling", "", "_init_bilinear"),
    ("stn_loc", "weight", "_init_zero"),
    ("stn_loc", "bias", "_init_loc_bias"),
    ("", "bias", "_init_bias"),
    ("", "gamma", "_init_gamma"),
    ("", "beta", "_init_beta"),
    ("", "weight", "_init_weight"),
    ("", "moving_mean", "_init_zero"),
    ("", "moving_var", "_init_one"),
    ("", "moving_inv_var", "_init_zero"),
    ("", "moving_avg", "_init_zero"),
    ("", "min", "_init_zero"),
    ("", "max", "_init_one"),
)
# Endings that MXNet refuses; a subclass whose `_init_default` takes every name gets them first.
_STATISTICS = (
    ("running_mean", 0.0),
    ("moving_mean", 0.0),
    ("running_var", 1.0),
    ("moving_var", 1.0),
    ("moving_inv_var", 0.0),
    ("moving_avg", 0.0),
)


def _root_mean_square(arr: NDArray) -> float:
    values = arr.asnumpy().astype(np.float64)
    return float(np.sqrt(np.mean(values * values))) if values.size else 0.0


# --- registry --------------------------------------------------------------------------------


def register(klass: _Class) -> _Class:
    """Register an initializer for :func:`create`, under its class name in lower case.

    Example:
        >>> @register
        ... class Half(Initializer):
        ...     def _init_weight(self, name, array):
        ...         array[:] = 0.5
        >>> create("half").dumps()
        '["half", {}]'
    """
    return alias(getattr(klass, "__name__", ""))(klass)


def alias(*aliases: str) -> Callable[[_Class], _Class]:
    """Return a decorator that registers an initializer under other names."""

    def add(klass: _Class) -> _Class:
        if not issubclass(klass, Initializer):
            raise InitializerError(f"only subclasses of Initializer can be registered, not {klass}")
        for name in aliases:
            before = registered.get(name.lower())
            if before is not None and before is not klass:
                _log.warning("initializer %r is now %s instead of %s", name, klass, before)
            registered[name.lower()] = klass
        return klass

    return add


def check(init: Any) -> None:
    """Raise an error if ``init`` is an unregistered name.

    Args:
        init: A name; values of other types are accepted.

    Raises:
        InitializerError: No initializer of that name is registered.
    """
    is_name = isinstance(init, str) and not init.startswith(("[", "{"))  # else JSON
    if is_name and init.lower() not in registered:
        known = ", ".join(sorted(registered))
        raise InitializerError(
            f"{init} is not registered as initializer; known: {known}{hint(init, registered)}"
        )


def create(init: Any, *args: Any, **kwargs: Any) -> Any:
    """Return an initializer from its name, JSON, or object.

    Args:
        init: A registered name; a class; ``{"initializer": name, ...}`` with the arguments next to
            the name; JSON of that, or of ``[name, {arguments}]`` as :meth:`Initializer.dumps`
            writes it; an initializer, or another function that takes a name and an array.
        args: Arguments of the class, after a name or a class.
        kwargs: Named arguments of the class.

    Raises:
        InitializerError: No such initializer is registered, ``init`` is unknown, or the class
            does not take the arguments.

    Example:
        >>> create("xavier", magnitude=2).magnitude
        2.0
    """
    if isinstance(init, str) and init.startswith(("[", "{")):
        init, arguments = _parsed(init)
        kwargs = {**arguments, **kwargs}
    elif isinstance(init, dict):
        init, arguments = _of_dict(init)
        kwargs = {**arguments, **kwargs}
    if isinstance(init, str):
        check(init)
        init = registered[init.lower()]
    if isinstance(init, type) and issubclass(init, Initializer):
        try:
            return init(*args, **kwargs)
        except TypeError as error:
            raise InitializerError(f"initializer {init.__name__}: {error}") from error
    if not callable(init) or isinstance(init, type):
        raise InitializerError(f"an initializer or the name of one was expected, not {init!r}")
    if args or kwargs:
        raise InitializerError(f"{init!r} is an instance already, so it takes no arguments")
    return init


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise InitializerError(f"initializer {text!r} is no JSON: {error}") from error
    if isinstance(parsed, dict):
        return _of_dict(parsed)
    match parsed:
        case [str() as name, dict() as arguments]:
            return name, arguments
    raise InitializerError(f"initializer {text!r} is not ['name', {{arguments}}]")


def _of_dict(config: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    arguments = dict(config)
    name = arguments.pop("initializer", None)
    if not isinstance(name, str):
        raise InitializerError(
            f"{config!r} does not name an initializer: {{'initializer': name, ...}}"
        )
    return name, arguments
