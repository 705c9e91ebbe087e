"""Methods of symbols for operators, where the arguments differ from the operator's."""

from typing import Any, Self

from hy_symbol.symbol.splitting import split_params

__all__ = ["OperatorMethods"]


class OperatorMethods:
    """Base class of symbols with methods such as ``reshape`` and ``squeeze``."""

    __slots__ = ()

    def _called(self, op: str, /, *args: Any, **kwargs: Any) -> Self:
        """Add a node of ``op`` on this symbol; subclasses implement this."""
        raise NotImplementedError

    def reshape(self, *args: Any, **kwargs: Any) -> Self:
        """Return the symbol reshaped: ``x.reshape((2, 3))`` or ``x.reshape(2, 3)``."""
        if len(args) > 1 and all(type(n) is int for n in args):
            args = (args,)
        return self._called("reshape", *args, **kwargs)

    def astype(self, dtype: object, **kwargs: Any) -> Self:
        """Return the symbol cast to another dtype."""
        kwargs.pop("copy", None)
        return self._called("cast", dtype=dtype, **kwargs)

    def expand_dims(self, axis: int, inplace: bool = False, **kwargs: Any) -> Self:  # noqa: ARG002  # a graph has nothing to change in place
        """Return the symbol with an axis of size 1 inserted at ``axis``."""
        return self._called("expand_dims", axis=axis, **kwargs)

    def flatten(self, inplace: bool = False, **kwargs: Any) -> Self:  # noqa: ARG002
        """Return the symbol with all axes but the first merged into one."""
        return self._called("flatten", **kwargs)

    def squeeze(self, axis: Any = None, inplace: bool = False, **kwargs: Any) -> Self:  # noqa: ARG002
        """Return the symbol without axes of size 1."""
        return self._called("squeeze", axis=axis, **kwargs)

    def diag(self, k: int = 0, **kwargs: Any) -> Self:
        """Return diagonal ``k`` of a matrix, or a matrix with this vector as diagonal ``k``."""
        return self._called("diag", k=k, **kwargs)

    def broadcast_to(self, *args: Any, **kwargs: Any) -> Self:
        """Return the symbol broadcast to a shape, along axes of size 1."""
        return self._called("broadcast_to", *args, **kwargs)

    def broadcast_like(self, *args: Any, **kwargs: Any) -> Self:
        """Return the symbol broadcast to the shape of another one, along axes of size 1."""
        return self._called("broadcast_like", *args, **kwargs)

    def split_v2(self, *args: Any, **kwargs: Any) -> Self:
        """Split along an axis; see :func:`hy_symbol.sym.split_v2`."""
        return self._called("_split_v2", **split_params(*args, **kwargs))
