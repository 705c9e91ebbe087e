from hy_symbol.executor import *
