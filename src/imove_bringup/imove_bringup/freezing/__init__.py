"""Freezing of suites: scenes that are drawn, settled, proved in physics, and asked for something."""
