"""Tests, intervals and models over outcomes of scenes; each module says when its method is the right one."""
