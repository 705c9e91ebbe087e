from hy_symbol.sym.np.random import *
