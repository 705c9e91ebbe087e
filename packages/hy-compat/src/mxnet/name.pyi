from hy_symbol.graph.name import *
