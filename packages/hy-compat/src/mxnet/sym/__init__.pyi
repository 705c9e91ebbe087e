from hy_symbol.sym import *
from hy_symbol.sym import __getattr__ as __getattr__
