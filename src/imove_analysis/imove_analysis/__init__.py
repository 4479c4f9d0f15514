"""What runs show, from what they left on disk."""
