"""Blinded, interleaved comparison of several policies on the same scenes."""
