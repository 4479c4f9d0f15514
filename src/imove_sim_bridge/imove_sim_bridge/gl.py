"""Whether an off-screen OpenGL context can be made, and by what."""

import os
from typing import Any

from imove_core.errors import ImoveError

INSTALL_HINT = "on Debian or Ubuntu: apt-get install libegl1 libgl1-mesa-dri"


def check_gl() -> dict[str, Any]:
    """Makes a small context and returns renderer and version of the driver behind it.

    Raises:
        ImoveError: No EGL device or library is there.
    """
    backend = os.environ.get("MUJOCO_GL", "egl")
    try:
        import mujoco
        from OpenGL import GL

        context = mujoco.GLContext(16, 16)
        context.make_current()
        info = {"backend": backend}
        for key, name in (("renderer", GL.GL_RENDERER), ("version", GL.GL_VERSION)):
            info[key] = GL.glGetString(name).decode()
        context.free()
    # PyOpenGL and MuJoCo raise many kinds (ImportError, AttributeError, RuntimeError, GLError) for one cause.
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ImoveError(f"no off-screen renderer: MUJOCO_GL={backend} gave '{reason}'; {INSTALL_HINT}") from error
    return info
