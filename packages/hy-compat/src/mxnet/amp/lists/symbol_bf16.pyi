from hy_gluon.amp.lists.symbol_bf16 import *
