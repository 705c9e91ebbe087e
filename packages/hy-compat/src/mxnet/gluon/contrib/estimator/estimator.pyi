from hy_gluon.contrib.estimator.estimator import *
