"""Task families: one module each, found through the registry."""
