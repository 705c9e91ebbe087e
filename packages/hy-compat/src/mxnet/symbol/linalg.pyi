from hy_symbol.sym.linalg import *
from hy_symbol.sym.linalg import __getattr__ as __getattr__
