"""Files of the format IDX, in which MNIST is published."""

import gzip
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hy_io import FileFormatError, read_expanded

__all__ = ["IMAGES", "LABELS", "read_idx"]

IMAGES, LABELS = 2051, 2049
"""What files of images and of labels begin with."""

_GZIP = b"\x1f\x8b"


def read_idx(path: str, kind: int, axes: int) -> npt.NDArray[np.uint8]:
    """The bytes of a file in the format IDX: its kind, its sizes, and a byte for each element.

    Args:
        path: The file, perhaps compressed by gzip.
        kind: The number it begins with.
        axes: How many sizes follow.

    Raises:
        FileFormatError: It is of another kind, or cut short.
        FileLimitError: It would unpack to more than is allowed.
        OSError: It cannot be read.

    Source:
        LeCun et al., The MNIST database of handwritten digits, 1998.
    """
    content = Path(path).read_bytes()
    if content.startswith(_GZIP):
        with gzip.open(path) as file:
            content = read_expanded(file, path)
    head = np.frombuffer(content, ">u4", min(1 + axes, len(content) // 4)).tolist()
    if len(head) < 1 + axes or head[0] != kind:
        raise FileFormatError(path, 0, "header", f"{kind} and {axes} sizes", f"{head}")
    size, begin = int(np.prod(head[1:], dtype=object)), 4 * len(head)
    if len(content) - begin < size:
        raise FileFormatError(path, begin, "elements", f"{size} bytes", f"{len(content) - begin}")
    return np.frombuffer(content, np.uint8, size, begin).reshape(head[1:])
