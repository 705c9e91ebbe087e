"""Command that makes the index of a record file: ``python -m mxnet.tools.rec2idx``."""

import sys
from collections.abc import Sequence

from hy_io import cli

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``hy-io rec2idx``.

    Args:
        arguments: Arguments of the command; those of the process if None.

    Returns:
        0 on success, 1 on failure, 2 if arguments are invalid.
    """
    return cli.main(["rec2idx", *(sys.argv[1:] if arguments is None else arguments)])


if __name__ == "__main__":
    sys.exit(main())
