"""The folder of downloaded models and datasets."""

import os
from pathlib import Path

__all__ = ["home"]


def home() -> Path:
    """Return the folder for downloads: ``MXNET_HOME``, or ``~/.mxnet`` if that is not set."""
    return Path(os.environ.get("MXNET_HOME", "~/.mxnet")).expanduser()
