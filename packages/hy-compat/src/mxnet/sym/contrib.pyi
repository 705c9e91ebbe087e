from hy_symbol.sym.contrib import *
from hy_symbol.sym.contrib import __getattr__ as __getattr__
