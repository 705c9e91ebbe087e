from hy_symbol.sym.random import *
