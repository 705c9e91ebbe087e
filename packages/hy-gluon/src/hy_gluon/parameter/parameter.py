"""Parameter: a trainable array, on one context or several."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from hy_gluon import initializer
from hy_gluon.parameter.arrays import gradient_of, shown
from hy_gluon.parameter.described import merged_shape
from hy_gluon.parameter.errors import (
    MismatchError,
    UninitializedError,
    UnknownShapeError,
)
from hy_gluon.parameter.pickled import own_state
from hy_gluon.parameter.storage import Values, changed
from hy_gluon.parameter.values import ParameterValues
from hy_ndarray import (
    ArgumentError,
    Context,
    NDArray,
    ShapeError,
    autograd,
    cpu,
    current_context,
    dtype_name,
    is_np_array,
    nd,
    random,
)
from hy_ndarray.devices.device_argument import all_take_device
from hy_ndarray.suggestion import CheckedArguments
from hy_ndarray.warning import warn
from hy_symbol import setup_lock

__all__ = [
    "Contexts",
    "Parameter",
]

Contexts: TypeAlias = Context | Sequence[Context] | None
_REQUESTS = ("write", "add", "null")
_CPU = cpu()


def _listed(ctx: Contexts) -> list[Context]:
    if ctx is None:
        return [current_context()]
    contexts = [ctx] if isinstance(ctx, Context) else list(ctx)
    if not contexts:
        raise ArgumentError("a parameter needs at least one context, and the list is empty")
    return contexts


def _copied(values: NDArray, ctx: Context) -> NDArray:
    """Return a copy of an array on ``ctx``, without recording the copy."""
    with autograd.pause():
        return values.copyto(ctx)


@all_take_device
class Parameter(ParameterValues, CheckedArguments):
    """Trainable array, with a copy and a gradient on each of its contexts.

    Args:
        name: Name; layers add their prefix.
        grad_req: ``"write"`` replaces the gradient in each backward pass, ``"add"`` adds to it,
            ``"null"`` keeps none.
        shape: Shape, in which 0, -1 or None is an unknown size; None if it is entirely unknown.
        dtype: Dtype of the elements.
        lr_mult: Factor of the learning rate.
        wd_mult: Factor of the weight decay.
        init: Initializer of this parameter; the block's if None.
        allow_deferred_init: Defer the initialization of an unknown shape instead of raising an
            error.
        differentiable: Whether the parameter may have a gradient.
        stype: Storage type: ``"default"`` (dense), ``"row_sparse"`` (read by
            :meth:`row_sparse_data`) or ``"csr"``.
        grad_stype: Storage type of the gradient; always dense on a GPU.

    Raises:
        MismatchError: ``grad_req`` or a storage type is unknown.

    Example:
        >>> weight = Parameter("weight", shape=(2, 2))
        >>> weight.initialize(init="ones")
        >>> weight.data().asnumpy()
        array([[1., 1.],
               [1., 1.]], dtype=float32)
    """

    _is_listed = False
    """Whether the parameter is in a dictionary, which gave it a unique name."""

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: int | Sequence[int | None] | None = None,
        dtype: object = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        super().__init__(name, shape, dtype, lr_mult, wd_mult, init, stype, grad_stype)
        self._allow_deferred_init = allow_deferred_init
        self._differentiable = differentiable
        self._allocated = None
        self._deferred_init = ()
        if grad_req not in _REQUESTS:
            raise self._wrong_request(grad_req)
        self._grad_req = grad_req if differentiable else "null"

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name} (shape={self.shape}, dtype={self.dtype})"

    def __getstate__(self) -> dict[str, Any]:
        # Variable and trainer belong to this process; that arrays keep gradients is not copied.
        # Weak references cannot be pickled, and a variable belongs to graphs of this process.
        self._gathered()
        return {**self.__dict__, "_var": None, "_its_trainer": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state, gradients = own_state(state)
        self.__dict__.update(state)
        for array in self._data or ():
            # copy.copy shares arrays with gradients; attaching again would clear them.
            if not array.in_graph:
                self._keep_gradient(array, array.context)
        for array, gradient in gradients:
            if array.grad is not None:
                gradient.copyto(array.grad)

    # --- what it is -------------------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        """Dtype of the parameter; assigning it casts the values."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: object) -> None:
        self.cast(dtype)

    @property
    def grad_req(self) -> str:
        """Gradient request: ``"write"``, ``"add"`` or ``"null"``."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, request: str) -> None:
        if request not in _REQUESTS:
            raise self._wrong_request(request)
        # Integer or frozen parameters ask for no gradient, whatever a block-wide setattr says.
        request = request if self._differentiable else "null"
        if request != self._grad_req:
            self._grad_req = request
            for array in self._data or ():
                self._keep_gradient(array, array.context)
            changed()

    def _wrong_request(self, request: object) -> MismatchError:
        known = ", ".join(_REQUESTS)
        return MismatchError(
            f"parameter {self.name!r}: grad_req must be one of {known}, not {request!r}"
        )

    # --- initialization ---------------------------------------------------------------------

    def initialize(
        self,
        init: Any = None,
        ctx: Contexts = None,
        default_init: Any = None,
        force_reinit: bool = False,
    ) -> None:
        """Initialize the values, or defer that until the shape is known.

        Args:
            init: Initializer; the parameter's own if None.
            ctx: Context or list of contexts; the current one if None.
            default_init: Initializer if the parameter has no own; ``Uniform(0.07)`` if None.
            force_reinit: Initialize again if there are values, instead of warning.

        Raises:
            ShapeError: The shape is unknown, and ``allow_deferred_init`` is False.
        """
        if self._data is not None and not force_reinit:
            warn(
                f"Parameter {self.name!r} is already initialized, ignoring. Set "
                "force_reinit=True to re-initialize."
            )
            return
        default = initializer.Uniform() if default_init is None else default_init
        own = init if init is not None else self.init
        own = default if own is None else own
        initializer.check(own)
        if not self._known() and not self._allow_deferred_init:
            raise ShapeError(
                f"parameter {self.name!r} cannot be initialized: its shape {self._shape} is not "
                "known; give it, or pass allow_deferred_init=True"
            )
        # One version step for everything that changes here.
        with setup_lock():
            self._deferred_init = (own, _listed(ctx), default, None)
            self._allocated = self._gather = None
            changed()
            if self._known():
                self._finish_deferred_init()

    def _finish_deferred_init(self) -> None:
        """Create the arrays of a parameter whose initialization was deferred."""
        with setup_lock():
            if not self._deferred_init:
                return
            if not self._known():
                raise UnknownShapeError(
                    f"parameter {self.name!r} cannot be initialized: its shape {self._shape} is "
                    "not known; give the layer its input size, or run it on a batch first"
                )
            init, contexts, default, values = self._deferred_init
            # Initialization is no part of a recorded graph, and random draws of the program
            # continue as if it had not happened.
            with autograd.pause(), random.undisturbed():
                if values is None:
                    # Zeros, of the class that the program works with: initializers may be its own.
                    values = nd.zeros(self._shape, ctx=cpu(), dtype=self._hy_dtype_name)
                    self._fill(shown(values), init, default)
                self._is_np = is_np_array()
                # Fixed now: later use of npx.set_np() does not change what this parameter returns.
                self._copy_to_contexts(values, contexts)

    def _fill(self, values: NDArray, init: Any, default: Any) -> None:
        own = initializer.create(init)
        # MXNet gives such functions a description with the name, from which they choose.
        if not isinstance(own, initializer.Initializer):  # Mixed, Load, any function
            own(initializer.InitDesc(self.name, global_init=default), values)
            return
        general = initializer.create(default)
        if not isinstance(general, initializer.Initializer):
            general = own
        general(
            initializer.InitDesc(self.name, attrs={"__init__": init}, global_init=general), values
        )

    def _copy_to_contexts(
        self, values: NDArray, contexts: Sequence[Context], share: bool = False
    ) -> None:
        if values.stype != self._stype:
            with autograd.pause():
                values = values.tostype(self._stype)
        shared = values.context if share else None
        arrays: list[NDArray] = []
        for ctx in contexts:
            array = values if ctx == shared else _copied(values, ctx)
            self._keep_gradient(array, ctx)
            arrays.append(array)
        self._publish(arrays, [*contexts])

    def _keep_gradient(self, array: NDArray, ctx: Context) -> None:
        # GPUs have no sparse arrays in hy, so their gradients are dense.
        dense = not ctx.device_type.startswith("cpu")
        array.attach_grad(self._grad_req, "default" if dense else self._grad_stype)

    def _publish(self, arrays: list[NDArray], contexts: list[Context]) -> None:
        """Set the arrays, with their gradients, atomically as seen by other threads."""
        # One assignment of a tuple: a reader sees arrays and contexts of the same moment.
        self._allocated = Values(arrays), contexts
        # After the arrays: `_present` reads in the reverse order.
        self._deferred_init = ()
        changed()

    def _load_init(
        self,
        data: NDArray,
        ctx: Contexts,
        cast_dtype: bool = False,
        dtype_source: str = "current",
        share: bool = False,
    ) -> None:
        """Set the values from an array read from a file.

        Args:
            data: The values.
            ctx: Contexts of the values; if None, the parameter's contexts, or the CPU.
            cast_dtype: Cast if dtypes differ, instead of raising an error.
            dtype_source: ``"current"`` casts the values, ``"saved"`` casts the parameter.
            share: Use ``data`` itself as the array on its context; the parameter must have none
                yet.

        Raises:
            MismatchError: Shapes, dtypes or contexts do not match.
        """
        shape = data.shape
        if self._shape is not None and merged_shape(self._shape, shape) is None:
            raise MismatchError(
                f"Failed loading Parameter {self.name!r} from saved params: shape incompatible "
                f"expected {self._shape} vs saved {shape}; build the net with the sizes "
                "that it was saved with"
            )
        loaded = data.dtype
        # The usual case, the very class, without a name.
        is_other = self._dtype not in (loaded, None) and self._hy_dtype_name != dtype_name(loaded)
        if dtype_source not in ("current", "saved"):
            raise MismatchError(f"dtype_source {dtype_source!r} is not 'current' or 'saved'")
        if is_other and not cast_dtype:
            raise MismatchError(
                f"parameter {self.name!r} is {self._hy_dtype_name}, the loaded array "
                f"{dtype_name(loaded)}; set cast_dtype=True to cast"
            )
        with setup_lock():
            contexts = self._contexts_to_load(ctx)
            # The file's dtype becomes the parameter's; otherwise the data are cast.
            if is_other and dtype_source == "saved":
                self.cast(loaded)
            elif is_other:
                data = data.astype(self._hy_dtype_name, copy=False)
            self._shape = shape
            if self._allocated is not None:
                self._deferred_init = ()
                self.set_data(data)
                return
            self._is_np = is_np_array()
            self._copy_to_contexts(data, contexts, share)

    def _contexts_to_load(self, ctx: Contexts) -> list[Context]:
        present = self.list_ctx() if self._allocated is not None or self._deferred_init else None
        if ctx is None:
            return [_CPU] if present is None else present
        wanted = _listed(ctx)
        if present is not None and set(wanted) != set(present):
            raise MismatchError(
                f"parameter {self.name!r} cannot be loaded on {wanted}: it was initialized on "
                f"{present}; call reset_ctx first"
            )
        return wanted

    # --- other contexts and dtypes ----------------------------------------------------------

    def reset_ctx(self, ctx: Contexts) -> None:
        """Move to other contexts; gradients become zero.

        Raises:
            UninitializedError: The parameter has not been initialized.
        """
        contexts = _listed(ctx)
        with setup_lock():
            if self._data is not None:
                self._copy_to_contexts(self._reduce(), contexts)
            elif self._deferred_init:
                init, _, default, values = self._deferred_init
                self._deferred_init = (init, contexts, default, values)
            else:
                raise UninitializedError(
                    f"parameter {self.name!r} cannot move: it has not been initialized"
                )

    reset_device = reset_ctx  # MXNet 2's name

    def cast(self, dtype: object) -> None:
        """Cast values and gradients to ``dtype``; the block then computes in it."""
        name = "float32" if dtype is None else dtype_name(dtype)
        with setup_lock():
            before = self._allocated
            # Published together: a thread never sees one context cast and another not.
            if before is not None and dtype_name(before[0][0].dtype) != name:
                with autograd.pause():
                    self._publish([self._converted(array, name) for array in before[0]], before[1])
            self._dtype = dtype
            self._var = None

    def _converted(self, array: NDArray, dtype: str) -> NDArray:
        """Return a copy of an array and its gradient in another dtype."""
        new = array.astype(dtype)
        self._keep_gradient(new, new.context)
        if self._grad_req != "null":
            # The gradient of a pending accumulation is cast along.
            gradient_of(new)[:] = gradient_of(array).astype(dtype)
        return new
