"""Ids of episodes: what goes in comes out."""

import pytest

from imove_core.episode_key import episode_key, label_in


@pytest.mark.parametrize("label", ["", "A", "Z"])
def test_label_is_read_back(label):
    key = episode_key("pick_category/seen/007", "normal", label)
    assert label_in(key, "pick_category/seen/007", "normal") == label


def test_condition_is_no_label():
    assert episode_key("a/b/001", "empty") == "a/b/001/empty"
    assert label_in("a/b/001/empty", "a/b/001", "normal") == ""
    assert label_in("a/b/001/normal/AB", "a/b/001", "normal") == ""
