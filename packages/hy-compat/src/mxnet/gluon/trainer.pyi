from hy_gluon.trainer import *
