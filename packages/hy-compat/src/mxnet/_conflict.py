"""Check that MXNet's distribution is not installed in the same folder."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress

__all__ = ["refuse_other_mxnet"]

_OTHER = re.compile(
    r"(mxnet(?:[-_](?:mkl|native|cu\d+(?:mkl)?))?)-([^-]+)(?:-.+)?\.(?:dist|egg)-info",
    re.IGNORECASE,
)
"""Folders of what the installer tells of a distribution of MXNet: its name and version."""


def refuse_other_mxnet() -> None:
    """Raise ImportError if a distribution of MXNet is installed in hy-compat's folder.

    Files of both would be mixed in the package ``mxnet``.
    """
    for name, version in _distributions():
        raise ImportError(
            f"{name} {version} and hy-compat are installed in one environment, and both "
            f"provide `import mxnet`; run `pip uninstall {name}`, then reinstall hy-compat"
        )


def _distributions() -> Iterator[tuple[str, str]]:
    """Yield names and versions of distributions, without the slow ``importlib.metadata``."""
    for folder in sys.path:
        with suppress(OSError):  # there is no such folder
            for match in map(_OTHER.fullmatch, os.listdir(folder or ".")):  # noqa: PTH208
                if match is not None:
                    yield match[1].replace("_", "-").lower(), match[2]
