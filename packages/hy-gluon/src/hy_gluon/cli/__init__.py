"""The command ``hy``: models and files of arrays, told, checked, converted, drawn and timed."""

from hy_gluon.cli.command import main as main
from hy_gluon.cli.fitting import MisfitError as MisfitError
