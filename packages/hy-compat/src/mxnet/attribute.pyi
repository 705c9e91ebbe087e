from hy_symbol.graph.attribute import *
