from hy_symbol.sym import *
