from hy_symbol.sym.op import *
from hy_symbol.sym.op import __getattr__ as __getattr__
