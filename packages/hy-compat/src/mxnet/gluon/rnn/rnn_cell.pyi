from hy_gluon.rnn.rnn_cell import *
