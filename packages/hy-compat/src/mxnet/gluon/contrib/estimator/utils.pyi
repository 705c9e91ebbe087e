from hy_gluon.contrib.estimator.utils import *
