from hy_symbol.viz import *
