"""Devices: contexts, the protocol of kernel tables, which table serves a device, who watches."""
