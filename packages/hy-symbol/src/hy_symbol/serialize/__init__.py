"""Serialize: graphs as MXNet's JSON."""
