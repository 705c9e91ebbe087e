from hy_gluon.lr_scheduler import *
