"""Cells and stacks of recurrent layers: RNN, LSTM and GRU."""
