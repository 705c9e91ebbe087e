"""Command that makes image lists and record files: ``python -m mxnet.tools.im2rec``."""

import sys
from collections.abc import Sequence

from hy_io import cli

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``hy-io im2rec``.

    Args:
        arguments: Arguments of the command; those of the process if None.

    Returns:
        0 on success, 1 on failure, 2 if arguments are invalid.
    """
    return cli.main(["im2rec", *(sys.argv[1:] if arguments is None else arguments)])


if __name__ == "__main__":
    sys.exit(main())
