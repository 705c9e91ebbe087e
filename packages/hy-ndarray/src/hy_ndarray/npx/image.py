"""Image operators on ``np.ndarray``: ``npx.image.resize`` and its kin."""

from typing import Any

from hy_ndarray.npx.attributes import attribute, names


def __getattr__(name: str) -> Any:
    """The operator function of that name, made when first asked for."""
    return attribute(__name__, globals(), name, "_npx__image_")


def __dir__() -> list[str]:
    return sorted({*globals(), *names("_npx__image_")})
