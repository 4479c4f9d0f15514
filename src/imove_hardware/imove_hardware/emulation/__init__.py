"""Emulated devices, which the vendors' own libraries talk to."""
