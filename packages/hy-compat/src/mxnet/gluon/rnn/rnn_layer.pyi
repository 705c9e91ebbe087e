from hy_gluon.rnn.rnn_layer import *
