from hy_symbol.sym.linalg import *
