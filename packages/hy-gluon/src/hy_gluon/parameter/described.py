"""Described: the description of a parameter: name, shape, dtype, multipliers, initializer."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from hy_gluon import initializer
from hy_gluon.parameter.errors import MismatchError
from hy_ndarray import dtype_name, is_np_shape
from hy_ndarray.ops import PartialShape
from hy_symbol import Symbol, setup_lock, sym

__all__ = ["Described", "merged_shape"]


_STORAGES = ("default", "row_sparse", "csr")


def merged_shape(known: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...] | None:
    """Merge two shapes in which 0 and -1 are unknown sizes; None if they contradict."""
    if len(known) != len(wanted):
        return None
    merged = []
    for a, b in zip(known, wanted, strict=True):
        # 0 is unknown before numpy semantics, -1 after.
        if a != b and a > 0 and b > 0:
            return None
        merged.append(a if a > 0 else b)
    return tuple(merged)


class Described:
    """Description of a parameter without its values, as graphs need it.

    Args:
        name: Name of the parameter.
        shape: Shape, in which 0, -1 or None is an unknown size; None if it is entirely unknown.
        dtype: Dtype of the elements.
        lr_mult: Factor of the learning rate.
        wd_mult: Factor of the weight decay.
        init: Initializer of this parameter, or None.
        stype: Storage type.
        grad_stype: Storage type of the gradient.

    Raises:
        MismatchError: A storage type is unknown.
        DTypeError: ``dtype`` is an unknown name.
    """

    def __init__(
        self,
        name: str,
        shape: int | Sequence[int | None] | None,
        dtype: object,
        lr_mult: float,
        wd_mult: float,
        init: Any,
        stype: str,
        grad_stype: str,
    ) -> None:
        for kind, value in (("stype", stype), ("grad_stype", grad_stype)):
            if value not in _STORAGES:
                raise MismatchError(
                    f"{kind} for Parameter {name!r} must be one of 'default', 'row_sparse', or "
                    f"'csr', but got {value!r}"
                )
        self._stype, self._grad_stype = stype, grad_stype
        self.name = name
        self._shape: tuple[int, ...] | None = None
        if shape is not None:
            sizes = (shape,) if isinstance(shape, int | np.integer) else shape
            try:
                self._shape = tuple(0 if n is None else int(n) for n in sizes)
            except (TypeError, ValueError) as error:
                raise MismatchError(
                    f"parameter {name!r}: its shape must be of integers, not {shape!r}"
                ) from error
        if isinstance(dtype, str):
            dtype_name(dtype)  # says which there are
        self._dtype = dtype
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.init = init
        self._var: Symbol | None = None

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape, with 0 for unknown sizes, -1 under ``np_shape``; None if nothing is known."""
        known = self._shape
        if known is None or min(known, default=1) > 0 or not is_np_shape():
            return known
        return tuple([n or -1 for n in known])

    @shape.setter
    def shape(self, shape: Sequence[int]) -> None:
        new = tuple(map(int, shape))
        merged = new if self._shape is None else merged_shape(self._shape, new)
        if merged is None:
            raise MismatchError(
                f"parameter {self.name!r}: shape {new} contradicts its shape {self._shape}"
            )
        self._shape = merged

    @property
    def _partial_shape(self) -> PartialShape | None:
        """Shape, with None for unknown sizes; None if nothing is known."""
        shape = self._shape
        return shape if shape is None else tuple([n if n > 0 else None for n in shape])

    @property
    def size(self) -> int:
        """Number of elements; 0 if the shape is not known."""
        return prod(self._shape or ()) if self._known() else 0

    @property
    def stype(self) -> str:
        """Storage type: ``"default"`` (dense), ``"row_sparse"`` or ``"csr"``."""
        return self._stype

    @property
    def grad_stype(self) -> str:
        """Storage type of the gradient."""
        return self._grad_stype

    def _known(self) -> bool:
        return self._shape is not None and min(self._shape, default=1) > 0

    def var(self) -> Symbol:
        """Return the variable that stands for the parameter in graphs."""
        variable = self._var
        if variable is not None:
            return variable
        # Double-checked: two variables of one parameter would be two inputs of a graph.
        with setup_lock():
            if self._var is None:
                self._var = sym.var(
                    self.name,
                    shape=self.shape,
                    dtype=self._dtype,
                    lr_mult=self.lr_mult,
                    # MXNet's modules read lr_mult and wd_mult from the variable's attributes.
                    wd_mult=self.wd_mult,
                    init=self._text_of_init(),
                    stype=self._stype,
                )
            return self._var

    def _text_of_init(self) -> str | None:
        """Return the parameter's own initializer as a string; None if that is impossible."""
        if self.init is None or isinstance(self.init, str):
            return self.init
        init = initializer.create(self.init)
        return init.dumps() if isinstance(init, initializer.Initializer) else None
