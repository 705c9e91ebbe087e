from hy_symbol.sym.np import *
