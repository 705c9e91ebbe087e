"""Loggers in MXNet's format: level, time, process and source line, colored on terminals."""

import logging
import sys

from hy_ndarray.warning import warn

__all__ = [
    "CRITICAL",
    "DEBUG",
    "ERROR",
    "INFO",
    "NOTSET",
    "WARNING",
    "getLogger",
    "get_logger",
]

CRITICAL = logging.CRITICAL
DEBUG = logging.DEBUG
ERROR = logging.ERROR
INFO = logging.INFO
NOTSET = logging.NOTSET
WARNING = logging.WARNING

_LETTERS = {CRITICAL: "C", ERROR: "E", WARNING: "W", INFO: "I", DEBUG: "D"}
_configured: set[str] = set()
"""Names of the loggers that have their handler."""

_RED, _GREEN, _BLUE = "\x1b[31m", "\x1b[32m", "\x1b[34m"


class _Formatter(logging.Formatter):
    """Formatter of lines ``W1123 05:30:32 8838 file.py:function:line] message``, with colors."""

    def __init__(self) -> None:
        super().__init__(datefmt="%m%d %H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record: red from warnings on, blue for debug, otherwise green."""
        level = record.levelno
        colour = _RED if level >= WARNING else _BLUE if level == DEBUG else _GREEN
        letter = _LETTERS.get(level, "U")
        # The form of glog: a letter for the level, the time, the process and the place.
        head = (
            f"{letter}{self.formatTime(record, self.datefmt)} {record.process} "
            f"{record.pathname}:{record.funcName}:{record.lineno}]"
        )
        text = f"{colour}{head}\x1b[0m {record.getMessage()}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def get_logger(
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """Return a logger with a handler, which is added on the first call.

    Args:
        name: Name of the logger; the root logger, unchanged, if None.
        filename: A file to write plain messages to; standard error, in MXNet's format, if None.
        filemode: Mode of the file; ``"a"`` (append) if None.
        level: Lowest level that is written.

    Example:
        >>> get_logger("training", level=INFO).level == INFO
        True
    """
    logger = logging.getLogger(name)
    # The root logger belongs to the program, and a second handler would write each line twice.
    if name is None or name in _configured:
        return logger
    _configured.add(name)
    handler: logging.Handler
    if filename:
        handler = logging.FileHandler(filename, filemode or "a")
    else:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_Formatter())
    logger.addHandler(handler)
    logger.setLevel(level)
    return logger


def getLogger(  # noqa: N802  # MXNet's name
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """Return a logger and warn: deprecated name of :func:`get_logger`."""
    message = "getLogger is deprecated, Use get_logger instead."
    warn(message, DeprecationWarning)
    return get_logger(name, filename, filemode, level)
