"""Conducts trials on the real table: layout, check, run, homing, blinded comparisons."""
