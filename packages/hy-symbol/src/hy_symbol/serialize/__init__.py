"""Serialization: graphs to and from MXNet's JSON."""
