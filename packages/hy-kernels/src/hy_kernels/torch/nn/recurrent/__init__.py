"""Recurrent: the steps of RNN, LSTM and GRU layers."""
