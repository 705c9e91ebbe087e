"""Convolutions by several algorithms; :mod:`.select` says which."""
