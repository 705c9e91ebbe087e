from hy_gluon.loss import *
