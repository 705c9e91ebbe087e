from hy_symbol.sym.op import *
