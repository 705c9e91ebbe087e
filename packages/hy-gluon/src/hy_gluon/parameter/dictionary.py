"""ParameterDict: parameters by name, created on first use and possibly shared."""

from collections import OrderedDict
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from inspect import signature
from typing import Any

import numpy as np

from hy_gluon import initializer
from hy_gluon.files import array_of, contents_of, np_shape_of
from hy_gluon.parameter.constant import Constant
from hy_gluon.parameter.described import merged_shape
from hy_gluon.parameter.errors import MismatchError, UnknownConstantError
from hy_gluon.parameter.parameter import Contexts, Parameter
from hy_gluon.parameter.storage import changed
from hy_io import load_arrays, save_ndarrays
from hy_ndarray import ArgumentError, Context, NDArray, dtype_name, suggestion
from hy_ndarray.devices.device_argument import all_take_device
from hy_symbol import setup_lock

__all__ = ["ParameterDict", "nearest"]


@all_take_device
class ParameterDict:
    """Ordered dictionary of parameters by name.

    Args:
        prefix: Prefix that :meth:`get` adds to names.
        shared: Dictionary in which :meth:`get` looks for a parameter before it creates one.

    Example:
        >>> params = ParameterDict("fc_")
        >>> params.get("weight", shape=(2, 3)).name
        'fc_weight'
        >>> params
        fc_ (
          Parameter fc_weight (shape=(2, 3), dtype=<class 'numpy.float32'>)
        )
    """

    def __init__(self, prefix: str = "", shared: "ParameterDict | None" = None) -> None:
        self._prefix = prefix
        self._params: OrderedDict[str, Parameter] = OrderedDict()
        self._shared = shared
        self._structure: Callable[[], Mapping[str, Parameter]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_structure": None}  # which belongs to a block

    def __repr__(self) -> str:
        inner = "\n".join(f"  {parameter!r}" for parameter in self.values())
        name = f"{self._prefix} " if self._prefix else ""
        return f"{name}(\n{inner}\n)"

    def __getitem__(self, key: str) -> Parameter:
        return self._params[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def keys(self) -> KeysView[str]:
        """Return the names of the parameters."""
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        """Return the parameters."""
        return self._params.values()

    def items(self) -> ItemsView[str, Parameter]:
        """Return names and parameters."""
        return self._params.items()

    @property
    def prefix(self) -> str:
        """Prefix of the parameters' names."""
        return self._prefix

    @property
    def shared(self) -> "ParameterDict | None":
        """Dictionary in which parameters are looked up before they are created."""
        return self._shared

    def _find(self, name: str) -> Parameter | None:
        if name in self._params:
            return self._params[name]
        if self._shared is not None and name in self._shared:
            # Found in the shared dictionary, it is an own entry from then on, in order of use.
            self._params[name] = self._shared[name]
            return self._params[name]
        return None

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """Return the parameter ``prefix + name``, created from ``kwargs`` if missing.

        Args:
            name: Name without the prefix.
            kwargs: Arguments of :class:`Parameter`; an existing parameter must match them.

        Raises:
            MismatchError: An existing parameter differs; names the attribute and both values.
        """
        full = self._prefix + name
        # Threads that build equal layers must not make a parameter twice.
        with setup_lock():
            parameter = self._find(full)
            if parameter is None:
                parameter = Parameter(full, **kwargs)
                parameter._is_listed = True
                self._params[full] = parameter
                return parameter
        for key, wanted in kwargs.items():
            _match(parameter, key, wanted)
        return parameter

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """Return the constant ``prefix + name``, created from ``value`` if missing.

        Raises:
            MismatchError: A constant with another value, or a parameter, has that name.
            UnknownConstantError: The constant does not exist, and ``value`` is None.
        """
        full = self._prefix + name
        parameter = self._find(full)
        if parameter is None:
            if value is None:
                raise UnknownConstantError(
                    f"there is no constant {full!r}; give its value to create it"
                )
            constant = Constant(full, value)
            constant._is_listed = True
            self._params[full] = constant
            return constant
        if not isinstance(parameter, Constant):
            raise MismatchError(f"{full!r} is a parameter, not a constant")
        if value is not None:
            wanted = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
            if not np.array_equal(wanted, parameter.value.asnumpy()):
                raise MismatchError(f"constant {full!r} exists with another value")
        return parameter

    def adopt(self, parameter: Parameter) -> None:
        """Add a parameter that was created without a dictionary, unless its name is taken.

        Args:
            parameter: The parameter; the prefix is added to its name.
        """
        with setup_lock():
            full = self._prefix + parameter.name.removeprefix(self._prefix)
            if not parameter._is_listed and full not in self._params:
                # A new name needs a new variable; no graph can have the old one yet.
                parameter.name, parameter._var, parameter._is_listed = full, None, True
                self._params[full] = parameter

    def replace(self, old: Parameter, new: Parameter) -> None:
        """Replace ``old`` by ``new``, which gets the old name if it is in no dictionary.

        Args:
            old: Parameter to replace, which may be in no dictionary.
            new: Parameter that replaces it.

        Raises:
            MismatchError: A third parameter has the name of the new one.
        """
        with setup_lock():
            if not new._is_listed:
                new.name, new._var, new._is_listed = old.name, None, old._is_listed
            if self._params.get(new.name, old) not in (old, new):
                raise MismatchError(
                    f"cannot add parameter {new.name!r} here: another one has that name"
                )
            # The order of parameters is that of files and trainers, so the new one takes the old
            # one's position.
            own = ((name, x) for name, x in self._params.items() if x is not new)
            self._params = OrderedDict(
                (new.name, new) if x is old else (name, x) for name, x in own
            )
            # Graphs compare variables: dropping the old one makes them trace again.
            old._var = None
            changed()

    def by_structure(self) -> Mapping[str, Parameter]:
        """Return the parameters by scope path, such as ``features.0.weight``.

        Empty unless a block collected the dictionary.
        """
        named = {} if self._structure is None else self._structure()
        return {name: x for name, x in named.items() if self._params.get(x.name) is x}

    def update(self, other: "ParameterDict | Mapping[str, Parameter]") -> None:
        """Add all parameters of ``other``.

        Raises:
            MismatchError: A different parameter has the same name here.
        """
        items = other.items()
        for name, parameter in items:
            if self._params.get(name, parameter) is not parameter:
                raise MismatchError(
                    f"cannot take over parameter {name!r}: another one has that name; "
                    "give the blocks different prefixes"
                )
        self._params.update(items)

    def initialize(
        self,
        init: Any = None,
        ctx: Contexts = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; see :meth:`Parameter.initialize`.

        Args:
            init: Initializer of parameters without their own; ``Uniform(0.07)`` if None.
            ctx: Context or list of contexts; the current one if None.
            verbose: Log each initialization (level INFO).
            force_reinit: Also initialize parameters that already have values.
        """
        default = initializer.create("uniform" if init is None else init)
        if verbose and isinstance(default, initializer.Initializer):
            default.set_verbosity(True)
        # All or none, as seen by other threads.
        with setup_lock():
            for parameter in self.values():
                parameter.initialize(None, ctx, default, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for parameter in self.values():
            parameter.zero_grad()

    def reset_ctx(self, ctx: Contexts) -> None:
        """Move all parameters to other contexts."""
        with setup_lock():
            for parameter in self.values():
                parameter.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """Return all contexts on which any parameter has an array."""
        contexts = OrderedDict.fromkeys(ctx for p in self.values() for ctx in p.list_ctx())
        return list(contexts)

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute, such as ``grad_req`` or ``lr_mult``, of all parameters."""
        for parameter in self.values():
            setattr(parameter, name, value)

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Write all parameters to a file by name.

        Args:
            filename: Path of the file, which is replaced atomically.
            strip_prefix: Prefix to remove from the names.

        Raises:
            MismatchError: A name does not begin with ``strip_prefix``.
        """
        arrays = {}
        for name, parameter in self.items():
            # MXNet's rule for strip_prefix.
            if not name.startswith(strip_prefix):
                raise MismatchError(
                    f"parameter {name!r} does not begin with {strip_prefix!r}, which was to be "
                    "taken off: blocks that share parameters have names of other blocks"
                )
            arrays[name.removeprefix(strip_prefix)] = parameter._reduce()
        contents = contents_of(arrays)
        save_ndarrays(filename, contents, np_shape=np_shape_of(contents.values()))

    def load(
        self,
        filename: str,
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load parameters that :meth:`save` or ``export`` wrote.

        Args:
            filename: Path of the file, in any format that :func:`hy_io.known_formats` lists.
            ctx: Contexts of parameters that are not initialized yet.
            allow_missing: Leave parameters unchanged that the file lacks.
            ignore_extra: Ignore arrays in the file that are not in the dictionary.
            restore_prefix: Prefix to add to the names in the file.
            cast_dtype: Cast arrays of another dtype instead of refusing them.
            dtype_source: ``"current"`` or ``"saved"``; see :meth:`Block.load_parameters`.

        Raises:
            MismatchError: Names, shapes or dtypes do not match.
            FileFormatError: The file is damaged.
            FileLimitError: See ``nd.load``.
        """
        loaded = load_arrays(filename, dense=True).arrays or {}  # a file of no arrays has no names
        if not isinstance(loaded, Mapping):
            raise MismatchError(f"{filename}: holds arrays without names, not parameters")
        self.load_dict(
            loaded,
            ctx,
            allow_missing,
            ignore_extra,
            restore_prefix,
            filename,
            cast_dtype,
            dtype_source,
        )

    def load_dict(
        self,
        param_dict: Mapping[str, Any],
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Set parameters from arrays by name; the prefixes ``arg:`` and ``aux:`` are ignored.

        Args:
            param_dict: NDArrays or numpy arrays by name.
            ctx: See :meth:`load`.
            allow_missing: See :meth:`load`.
            ignore_extra: See :meth:`load`.
            restore_prefix: See :meth:`load`.
            filename: Source of the arrays, for messages.
            cast_dtype: See :meth:`load`.
            dtype_source: See :meth:`load`.

        Raises:
            MismatchError: See :meth:`load`.
        """
        source = "the dictionary" if filename is None else f"file: {filename}"
        arrays = {
            restore_prefix + name.removeprefix("arg:").removeprefix("aux:"): value
            for name, value in param_dict.items()
        }
        # Checked before the first value is set: after an error nothing has changed.
        missing = [name for name in self if name not in arrays]
        if missing and not allow_missing:
            raise MismatchError(
                f"Parameter {missing[0]!r} is missing in {source}{nearest(missing[0], arrays)}. "
                "Check the prefixes, or set allow_missing=True"
            )
        extra = [name for name in arrays if name not in self]
        if extra and not ignore_extra:
            raise MismatchError(
                f"Parameter {extra[0]!r} of {source} is not present here{nearest(extra[0], self)}. "
                "Check the prefixes, or set ignore_extra=True to skip it"
            )
        for name, value in arrays.items():
            if name in self:
                self[name]._load_init(array_of(value), ctx, cast_dtype, dtype_source)


def nearest(name: str, names: Iterable[str]) -> str:
    """Return a phrase for messages with the most similar name; empty if no name is similar."""
    near = suggestion.nearest(name, names)
    return f"; the nearest name is {near!r}" if near else ""


def _match(parameter: Parameter, key: str, wanted: Any) -> None:
    """Check that an existing parameter agrees with a requested attribute; fill in missing ones."""
    if key not in _ATTRIBUTES:
        raise ArgumentError(
            f"parameter {parameter.name!r}: {key!r} is no argument of a Parameter; "
            f"arguments: {', '.join(_ATTRIBUTES)}"
        )
    stored = getattr(parameter, key, None)
    if wanted is None or key in ("differentiable", "allow_deferred_init"):
        return
    # A second layer may know more of it; what it knows is added.
    if stored is None:
        setattr(parameter, key, wanted)
    elif key == "shape":
        # None and 0 are sizes that a layer does not know.
        sizes = (wanted,) if isinstance(wanted, int) else tuple(n or 0 for n in wanted)
        merged = merged_shape(stored, sizes)
        if merged is None:
            raise _contradiction(parameter, key, sizes)
        parameter.shape = merged
    elif key == "dtype":
        if dtype_name(stored) != dtype_name(wanted):
            raise _contradiction(parameter, key, wanted)
    elif key != "init" and stored != wanted:
        raise _contradiction(parameter, key, wanted)


_ATTRIBUTES = tuple(signature(Parameter).parameters)


def _contradiction(parameter: Parameter, key: str, wanted: Any) -> MismatchError:
    return MismatchError(
        f"parameter {parameter.name!r} exists with {key}={getattr(parameter, key)!r}, but is "
        f"requested with {key}={wanted!r}"
    )
