from hy_gluon.data import *
