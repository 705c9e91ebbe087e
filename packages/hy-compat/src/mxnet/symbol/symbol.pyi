from hy_symbol.symbol import *
