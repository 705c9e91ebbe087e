from hy_gluon.model_zoo import *
