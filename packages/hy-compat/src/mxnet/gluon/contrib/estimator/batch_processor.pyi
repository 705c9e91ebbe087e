from hy_gluon.contrib.estimator.batch_processor import *
