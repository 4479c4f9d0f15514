"""Checks of fine-tuning recipes against what the sources of their trainers say."""
