"""Parameter: an array that is learned, on one context or several; and dictionaries of them."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from hy_gluon import initializer
from hy_ndarray import (
    AutogradError,
    Context,
    DTypeError,
    HyError,
    NDArray,
    ShapeError,
    autograd,
    cpu,
    current_context,
    dtype_name,
    nd,
    numpy_type,
)
from hy_symbol import Symbol, sym

__all__ = [
    "Constant",
    "DeferredInitializationError",
    "Parameter",
    "UninitializedError",
]

_REQUESTS = ("write", "add", "null")


class UninitializedError(HyError):
    """A parameter is used before it is initialized."""


class DeferredInitializationError(UninitializedError):
    """A parameter is used whose initialization waits for its shape, until the first forward."""


def _contexts(ctx: Context | Sequence[Context] | None) -> list[Context]:
    if ctx is None:
        return [current_context()]
    return [ctx] if isinstance(ctx, Context) else list(ctx)


class Parameter:
    """An array that is learned.

    Args:
        name: Its name; layers prefix it with theirs.
        grad_req: ``"write"`` replaces the gradient in each backward pass, ``"add"`` adds to it,
            ``"null"`` keeps none.
        shape: Its shape; 0 or -1 is a size not known yet, None an unknown shape.
        dtype: Of the elements.
        lr_mult: Factor on the learning rate.
        wd_mult: Factor on the weight decay.
        init: Its own initializer; that of the block if None.
        allow_deferred_init: Wait for the shape instead of refusing an unknown one.
        differentiable: False: never has a gradient.
        stype: Storage; only ``"default"`` (dense) is built.
        grad_stype: Storage of the gradient; only ``"default"``.

    Raises:
        HyError: ``grad_req`` or a storage is none of these.

    Example:
        >>> weight = Parameter("weight", shape=(2, 2))
        >>> weight.initialize(init="ones")
        >>> weight.data().asnumpy()
        array([[1., 1.],
               [1., 1.]], dtype=float32)
    """

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: int | Sequence[int] | None = None,
        dtype: object = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for kind, value in (("stype", stype), ("grad_stype", grad_stype)):
            if value != "default":
                raise HyError(f"parameter {name!r}: {kind}={value!r}; only dense storage is built")
        self.name = name
        self._shape = (
            (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        )
        self.dtype = dtype
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.init = init
        self.allow_deferred_init = allow_deferred_init
        self._differentiable = differentiable
        self._data: dict[Context, NDArray] | None = None
        self._deferred: tuple[Any, list[Context], NDArray | None] | None = None
        self._var: Symbol | None = None
        self._trainer: Any = None
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name} (shape={self.shape}, dtype={self.dtype})"

    # --- what it is -------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Its shape, with 0 for sizes not known yet; None while nothing is known."""
        return self._shape

    @shape.setter
    def shape(self, shape: Sequence[int]) -> None:
        new = tuple(int(n) for n in shape)
        if self._shape is None:
            self._shape = new
            return
        if not _compatible(self._shape, new):
            raise ShapeError(
                f"parameter {self.name!r}: shape {new} contradicts its shape {self._shape}"
            )
        self._shape = new

    @property
    def grad_req(self) -> str:
        """What a backward pass does with its gradient."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, request: str) -> None:
        if request not in _REQUESTS:
            raise HyError(
                f"parameter {self.name!r}: grad_req must be one of {', '.join(_REQUESTS)}, "
                f"not {request!r}"
            )
        if not self._differentiable:
            request = "null"
        if getattr(self, "_grad_req", None) == request:
            return
        self._grad_req = request
        for array in (self._data or {}).values():
            array.attach_grad(request)

    @property
    def stype(self) -> str:
        """Storage: dense."""
        return "default"

    @property
    def grad_stype(self) -> str:
        """Storage of the gradient: dense."""
        return "default"

    def _known(self) -> bool:
        return self._shape is not None and all(n > 0 for n in self._shape)

    # --- initialization ---------------------------------------------------------------------

    def initialize(
        self,
        init: Any = None,
        ctx: Context | Sequence[Context] | None = None,
        default_init: Any = None,
        force_reinit: bool = False,
    ) -> None:
        """Give it values, or note how, if its shape is not known yet.

        Args:
            init: Initializer; the parameter's own if None.
            ctx: One context or several.
            default_init: Used where there is neither; ``Uniform(0.07)`` if None.
            force_reinit: Also if it has values already.

        Raises:
            ShapeError: The shape is unknown and deferring is not allowed.
        """
        if self._data is not None and not force_reinit:
            return
        self._data = None
        chosen = init if init is not None else self.init
        if chosen is None:
            chosen = initializer.Uniform() if default_init is None else default_init
        if not self._known() and not self.allow_deferred_init:
            raise ShapeError(
                f"parameter {self.name!r} cannot be initialized: its shape {self._shape} is not "
                "known; give it, or pass allow_deferred_init=True"
            )
        self._deferred = (chosen, _contexts(ctx), None)
        if self._known():
            self._finish_deferred_init()

    def _finish_deferred_init(self) -> None:
        """Make the arrays, if the initialization waited for the shape."""
        if self._deferred is None:
            return
        init, contexts, values = self._deferred
        if not self._known():
            raise ShapeError(
                f"parameter {self.name!r} cannot be initialized: its shape {self._shape} is not "
                "known; give the layer its input size, or run it on a batch first"
            )
        self._deferred = None
        with autograd.pause():
            if values is None:
                zeros = np.zeros(self._shape or (), numpy_type(self.dtype))
                values = nd.array(zeros, ctx=cpu(), dtype=zeros.dtype)
                desc = initializer.InitDesc(self.name, {"__init__": init})
                initializer.create(init)(desc, values)
            self._place(values, contexts)

    def _place(self, values: NDArray, contexts: Sequence[Context]) -> None:
        self._data = {}
        for context in contexts:
            array = values.copyto(context)
            array.attach_grad(self._grad_req)
            self._data[context] = array

    def _load_init(
        self,
        data: NDArray,
        ctx: Context | Sequence[Context] | None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Take values out of a file.

        Raises:
            ShapeError, DTypeError: They do not fit, and may not be cast.
        """
        if self._shape is not None and not _compatible(self._shape, data.shape):
            raise ShapeError(
                f"parameter {self.name!r}: loaded shape {data.shape} contradicts {self._shape}"
            )
        wanted, found = dtype_name(self.dtype), dtype_name(data.dtype)
        if wanted != found:
            if not cast_dtype:
                raise DTypeError(
                    f"parameter {self.name!r} is {wanted}, the loaded array {found}; "
                    "set cast_dtype=True to cast"
                )
            if dtype_source == "saved":
                self.dtype = data.dtype
            data = data.astype(self.dtype)
        self._shape = data.shape
        if self._data is not None:
            self.set_data(data)
            return
        contexts = (
            self._deferred[1] if self._deferred is not None and ctx is None else _contexts(ctx)
        )
        self._deferred = None
        self._place(data, contexts)

    # --- values -----------------------------------------------------------------------------

    def _arrays(self) -> dict[Context, NDArray]:
        if self._data is not None:
            return self._data
        if self._deferred is not None:
            raise DeferredInitializationError(
                f"parameter {self.name!r} has no values yet: its initialization waits for its "
                "shape. Run a batch through the network first, or give the layers their input "
                "sizes (in_units, in_channels)"
            )
        raise UninitializedError(
            f"parameter {self.name!r} has not been initialized; call initialize() on the block, "
            "and use block.collect_params(), which includes the children's parameters"
        )

    def data(self, ctx: Context | None = None) -> NDArray:
        """The array on a context; on the only or the current one if None.

        Raises:
            UninitializedError: There are no values yet.
            ContextError: It is on other contexts.
        """
        arrays = self._data
        if arrays is None:
            arrays = self._arrays()
        if ctx is None:
            ctx = next(iter(arrays)) if len(arrays) == 1 else current_context()
        array = arrays.get(ctx)
        if array is None:
            raise UninitializedError(
                f"parameter {self.name!r} is not on {ctx}, only on {self.list_ctx()}; "
                "use reset_ctx or initialize it there"
            )
        return array

    def list_data(self) -> list[NDArray]:
        """The arrays on all contexts."""
        return list(self._arrays().values())

    def _with_gradient(self) -> dict[Context, NDArray]:
        arrays = self._arrays()
        if self._grad_req == "null":
            raise AutogradError(
                f"parameter {self.name!r} keeps no gradient, because its grad_req is 'null'"
            )
        return arrays

    def grad(self, ctx: Context | None = None) -> NDArray:
        """The gradient on a context.

        Raises:
            AutogradError: ``grad_req`` is ``"null"``.
            UninitializedError: There are no values yet.
        """
        self._with_gradient()
        gradient = self.data(ctx).grad
        assert gradient is not None
        return gradient

    def list_grad(self) -> list[NDArray]:
        """The gradients on all contexts."""
        return [self.grad(ctx) for ctx in self._with_gradient()]

    def list_ctx(self) -> list[Context]:
        """The contexts it is, or will be, on."""
        if self._data is None and self._deferred is not None:
            return self._deferred[1]
        return list(self._arrays())

    def set_data(self, data: NDArray) -> None:
        """Overwrite the values on all contexts.

        Raises:
            ShapeError: Another shape.
        """
        self.shape = data.shape
        if self._data is None:
            if self._deferred is None:
                self._arrays()
                return
            init, contexts, _ = self._deferred
            self._deferred = (init, contexts, data.astype(dtype_name(self.dtype)))
            return
        with autograd.pause():
            for array in self._data.values():
                array[:] = data

    def row_sparse_data(self, row_id: NDArray) -> NDArray:  # noqa: ARG002  # MXNet's signature
        """Not built: raises an error that says so."""
        raise HyError(f"parameter {self.name!r} is dense; row_sparse storage is not built")

    list_row_sparse_data = row_sparse_data

    def zero_grad(self) -> None:
        """Set the gradients to zero; no effect where there are none."""
        if self._grad_req == "null" or self._data is None:
            return
        for gradient in self.list_grad():
            gradient[:] = 0

    def reset_ctx(self, ctx: Context | Sequence[Context]) -> None:
        """Move to other contexts."""
        if self._data is not None:
            values = self._reduce()
            with autograd.pause():
                self._place(values, _contexts(ctx))
        elif self._deferred is not None:
            init, _, values_or_none = self._deferred
            self._deferred = (init, _contexts(ctx), values_or_none)
        else:
            raise UninitializedError(
                f"parameter {self.name!r} cannot move: it has not been initialized"
            )

    def cast(self, dtype: object) -> None:
        """Change the dtype of the values and what is computed with them."""
        self.dtype = dtype_name(dtype) if isinstance(dtype, str) else dtype
        self._var = None
        if self._data is None:
            return
        with autograd.pause():
            contexts = list(self._data)
            self._place(self._reduce().astype(dtype), contexts)

    def _reduce(self) -> NDArray:
        """The values as one array on the CPU: the mean of those on all contexts."""
        arrays = [array.as_in_context(cpu()) for array in self.list_data()]
        with autograd.pause():
            total = arrays[0]
            for array in arrays[1:]:
                total = total + array
            return total if len(arrays) == 1 else total / len(arrays)

    def var(self) -> Symbol:
        """The variable that stands for it in graphs."""
        if self._var is None:
            self._var = sym.var(
                self.name,
                shape=self._shape,
                dtype=self.dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self.init,
                stype="default",
            )
        return self._var

    @property
    def size(self) -> int:
        """Number of elements, of a known shape."""
        return prod(self._shape or ())


def _compatible(old: Sequence[int], new: Sequence[int]) -> bool:
    """Whether ``new`` says nothing else than ``old`` where that is known."""
    return len(old) == len(new) and all(
        a == b or a <= 0 or b <= 0 for a, b in zip(old, new, strict=True)
    )


class Constant(Parameter):
    """A parameter that is not learned.

    Args:
        name: Its name.
        value: Its value.

    Example:
        >>> scale = Constant("scale", [1.0, 2.0])
        >>> scale.initialize()
        >>> scale.data().asnumpy()
        array([1., 2.], dtype=float32)
    """

    def __init__(self, name: str, value: Any) -> None:
        self.value = value if isinstance(value, NDArray) else nd.array(value)
        super().__init__(
            name,
            grad_req="null",
            shape=self.value.shape,
            dtype=self.value.dtype,
            init=initializer.Constant(self.value.tolist()),
            differentiable=False,
        )

    def _finish_deferred_init(self) -> None:
        if self._deferred is not None:
            init, contexts, _ = self._deferred
            self._deferred = (init, contexts, self.value.astype(numpy_type(self.dtype)))
        super()._finish_deferred_init()
