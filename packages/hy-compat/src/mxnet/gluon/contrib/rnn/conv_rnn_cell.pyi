from hy_gluon.contrib.rnn.conv_rnn_cell import *
