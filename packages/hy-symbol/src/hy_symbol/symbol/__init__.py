"""Symbol: the user's object, with MXNet's methods."""
