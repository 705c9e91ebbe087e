from hy_symbol.sym.image import *
from hy_symbol.sym.image import __getattr__ as __getattr__
