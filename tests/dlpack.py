"""Memory of arrays as NumPy gets it by DLPack."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

__all__ = ["writable_view"]


def writable_view(x: Any) -> npt.NDArray[Any]:
    """Return NumPy's view of an array's memory, to write to.

    PyTorch before 2.9 has DLPack without versions, whose memory NumPy takes for read-only.
    """
    view = np.from_dlpack(x)
    if not view.flags.writeable:
        pytest.skip("this PyTorch cannot say that memory may be written to")
    return view
