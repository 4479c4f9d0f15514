"""A lab's own rig file: made from what is plugged in, and held against it before a day's work."""
