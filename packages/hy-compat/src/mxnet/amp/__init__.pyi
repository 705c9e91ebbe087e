from hy_gluon.amp import *
