from hy_gluon.contrib.cnn import *
