"""Writes the index of a record file again: ``python -m mxnet.tools.rec2idx``."""

import sys
from collections.abc import Sequence

from hy_io import cli

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``hy-io rec2idx``.

    Args:
        arguments: Its arguments; None takes those of the process.

    Returns:
        0 if all is well, 1 if not, 2 if the arguments are wrong.
    """
    return cli.main(["rec2idx", *(sys.argv[1:] if arguments is None else arguments)])


if __name__ == "__main__":
    sys.exit(main())
