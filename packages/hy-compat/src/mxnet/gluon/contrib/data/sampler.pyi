from hy_gluon.contrib.data.sampler import *
