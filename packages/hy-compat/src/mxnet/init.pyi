from hy_gluon.initializer import *
