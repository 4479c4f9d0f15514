"""A PiPER X arm as its CAN bus shows it."""
