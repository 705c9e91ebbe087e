"""The folder of downloaded models and datasets, in the home directory of the user."""

import os
from pathlib import Path

from hy_ndarray import ArgumentError


def home() -> Path:
    """Return the folder for downloads: ``MXNET_HOME``, or ``~/.mxnet`` if that is not set.

    The user of a container may have no home directory; then ``~`` remains, for :func:`expanded`.
    """
    folder = Path(os.environ.get("MXNET_HOME", "~/.mxnet"))
    try:
        return folder.expanduser()
    except RuntimeError:
        return folder


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with the user's home directory in place of ``~``.

    Raises:
        ArgumentError: The user has none.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ArgumentError(
            f"{path}: this user has no home directory; name another folder, or set HOME or "
            "MXNET_HOME"
        ) from error
