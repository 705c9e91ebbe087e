from hy_gluon.contrib.cnn.conv_layers import *
