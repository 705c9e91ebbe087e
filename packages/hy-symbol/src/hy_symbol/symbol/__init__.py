"""Symbol: the user's handle of graph outputs, with MXNet's methods."""
