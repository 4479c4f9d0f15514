"""Leaders other than an arm: one that is jogged by keys or a space mouse, and a scripted one for trials and tests."""
