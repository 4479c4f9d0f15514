"""Policies behind the imove topic contract, with the built-in controls."""
