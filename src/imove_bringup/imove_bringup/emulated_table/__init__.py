"""A table with arms, cameras and objects that exist in a simulation alone, behind the protocols of real devices."""
