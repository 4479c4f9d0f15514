"""Episodes as videos: all cameras side by side, instruction and stages burnt in, the target outlined."""

from imove_bringup.episode_video.rendering import VideoMaker, render_video

__all__ = ["VideoMaker", "render_video"]
