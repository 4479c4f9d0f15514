"""Runs suites of episodes, scores them and prints honest statistics."""
