from hy_symbol.symbol.symbol import *
