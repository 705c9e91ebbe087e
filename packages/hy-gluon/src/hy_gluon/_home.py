"""The folder of downloaded models and datasets."""

import os
from pathlib import Path

__all__ = ["home"]


def home() -> Path:
    """Return the folder that ``MXNET_HOME`` names, else ``~/.mxnet``."""
    return Path(os.environ.get("MXNET_HOME", "~/.mxnet")).expanduser()
