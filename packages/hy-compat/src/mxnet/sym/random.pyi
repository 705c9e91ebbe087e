from hy_symbol.sym.random import *
from hy_symbol.sym.random import __getattr__ as __getattr__
