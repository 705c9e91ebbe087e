from hy_gluon.contrib.rnn.rnn_cell import *
