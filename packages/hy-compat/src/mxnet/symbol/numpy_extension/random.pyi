from hy_symbol.sym.npx.random import *
