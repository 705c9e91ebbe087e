from hy_gluon.contrib.estimator import *
