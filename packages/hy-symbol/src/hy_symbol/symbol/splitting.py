"""Parameters of ``split_v2``, which MXNet converts before it calls the operator."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray import ArgumentError
from hy_symbol._errors import brief

__all__ = ["split_params"]


def split_params(
    indices_or_sections: int | Sequence[int], axis: int = 0, squeeze_axis: bool = False
) -> dict[str, Any]:
    """Return the parameters of operator ``_split_v2`` for arguments of ``split_v2``.

    Args:
        indices_or_sections: Number of equal parts, or begin of the second and later parts.
        axis: The axis to split.
        squeeze_axis: Whether to remove the axis, if all parts have size 1.

    Raises:
        ArgumentError: ``indices_or_sections`` is neither an integer nor a sequence.
    """
    indices: list[int] = []
    sections = 0
    if isinstance(indices_or_sections, int):
        sections = indices_or_sections
    elif isinstance(indices_or_sections, tuple | list):
        # MXNet's operator wants the first part's begin, too.
        indices = [0, *indices_or_sections]
    else:
        raise ArgumentError(
            f"split_v2: indices_or_sections={brief(indices_or_sections)} must be an integer "
            "or a list of them"
        )
    return {"indices": indices, "axis": axis, "squeeze_axis": squeeze_axis, "sections": sections}
