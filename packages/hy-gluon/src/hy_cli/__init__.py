"""The command ``hy``: models and files of arrays, told, checked, converted, drawn and timed."""

from hy_cli.command import main as main
from hy_cli.fitting import MisfitError as MisfitError
