# Written by `hatch run stubs` from the operator catalogue.
from hy_symbol.sym._operators import *
