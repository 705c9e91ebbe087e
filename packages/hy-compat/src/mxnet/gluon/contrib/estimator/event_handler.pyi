from hy_gluon.contrib.estimator.event_handler import *
