from hy_symbol.symbol.symbol import *
from hy_symbol.sym import *
