from hy_gluon.optimizer import *
