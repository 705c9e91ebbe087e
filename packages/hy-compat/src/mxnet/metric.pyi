from hy_gluon.metric import *
