from hy_symbol.sym.image import *
