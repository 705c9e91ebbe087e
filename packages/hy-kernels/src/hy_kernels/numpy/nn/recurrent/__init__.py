"""Loops over time of RNN, LSTM and GRU layers."""
