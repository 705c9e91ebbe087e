from hy_symbol.attribute import *
