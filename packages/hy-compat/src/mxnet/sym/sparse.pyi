from hy_symbol.sym.sparse import *
