from hy_symbol.sym.contrib import *
