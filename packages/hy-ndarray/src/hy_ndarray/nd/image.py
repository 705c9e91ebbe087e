"""Image operators: ``nd.image.to_tensor`` and its kin."""

from typing import TYPE_CHECKING, Any

from hy_ndarray.nd import _functions

if TYPE_CHECKING:
    from hy_ndarray.nd._operators.image import *  # noqa: F403  # written by `hatch run stubs`
else:

    def __getattr__(name: str) -> Any:
        """The operator function of that name, made when first asked for."""
        return _functions.attribute(__name__, globals(), name, "image")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("image")})
