from hy_symbol.sym.sparse import *
from hy_symbol.sym.sparse import __getattr__ as __getattr__
