from hy_symbol.name import *
