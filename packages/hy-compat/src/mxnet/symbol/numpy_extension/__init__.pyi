from hy_symbol.sym.npx import *
