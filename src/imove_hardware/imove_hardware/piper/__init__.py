"""PiPER X arms on the vendor's SDK."""
