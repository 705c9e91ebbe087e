"""Where a parameter's arrays are; also under the private names by which programs take them."""

from typing import Any, TypeAlias

from hy_gluon.parameter.described import Described
from hy_gluon.parameter.errors import UninitializedError
from hy_ndarray import Context, NDArray, current_context

__all__ = ["Arrays", "Placed", "changed", "version"]

Arrays: TypeAlias = tuple[list[NDArray], list[Context]]
_changes = [0]


def version() -> int:
    """How often any parameter got other arrays or gradients: tells when to look again."""
    return _changes[0]


def changed() -> None:
    """Some parameter got other arrays or gradients."""
    _changes[0] += 1


class Placed(Described):
    """A parameter's arrays, of which there is one on each of its contexts.

    Programs for MXNet that make parameters of their own kinds, such as GluonNLP's dropped weights,
    take over ``_data``, ``_grad``, ``_ctx_list``, ``_ctx_map`` and ``_trainer`` of another one.
    """

    _placed: Arrays | None = None
    _trainer: Any = None

    @property
    def _data(self) -> list[NDArray] | None:
        placed = self._placed
        return None if placed is None else placed[0]

    @_data.setter
    def _data(self, arrays: list[NDArray] | None) -> None:
        self._placed = None if arrays is None else (arrays, [array.context for array in arrays])
        changed()

    @property
    def _grad(self) -> list[NDArray | None] | None:
        arrays = self._data
        return None if arrays is None else [array.grad for array in arrays]

    @_grad.setter
    def _grad(self, gradients: list[NDArray | None] | None) -> None:
        """Nothing is left to do: arrays bring their gradients along."""

    @property
    def _ctx_list(self) -> list[Context] | None:
        placed = self._placed
        return None if placed is None else placed[1]

    @_ctx_list.setter
    def _ctx_list(self, contexts: list[Context] | None) -> None:
        """Nothing is left to do: arrays know where they are."""

    @property
    def _ctx_map(self) -> None:
        """Places in lists are found by comparing contexts."""

    @_ctx_map.setter
    def _ctx_map(self, places: None) -> None:
        """Nothing is left to do."""

    def _present(self) -> Arrays:
        placed = self._placed
        if placed is None:
            raise UninitializedError(f"parameter {self.name!r} has not been initialized")
        return placed

    def _check_and_get(self, arrays: list[NDArray] | None, ctx: Context | None) -> Any:
        """What `arrays`, the parameter's values or gradients, hold on a context."""
        if arrays is None:
            self._present()
        return self._on(ctx) if arrays is self._data else self._on(ctx).grad

    def _on(self, ctx: Context | None) -> NDArray:
        arrays, contexts = self._placed or self._present()
        if len(arrays) == 1 and (ctx is None or ctx is contexts[0]):
            return arrays[0]
        wanted = current_context() if ctx is None else ctx
        for array, context in zip(arrays, contexts, strict=True):
            if context == wanted:
                return array
        raise UninitializedError(
            f"Parameter {self.name!r} was not initialized on context {wanted}. It was only "
            f"initialized on {contexts}; use reset_ctx or initialize it there"
        )
