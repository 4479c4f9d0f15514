"""Opens off-screen OpenGL contexts, and says plainly why that fails."""

import importlib
import os
from typing import Any

from imove_core.errors import ImoveError, unknown_name

PLATFORM_VARIABLE = "MUJOCO_GL"
DEFAULT_PLATFORM = "egl"
INSTALL_HINT = "on Debian or Ubuntu: apt-get install libegl1 libgl1-mesa-dri"
_PLATFORMS = {"egl": "mujoco.egl", "osmesa": "mujoco.osmesa"}


def open_context(width: int, height: int) -> Any:
    """Opens a context of the platform in MUJOCO_GL, EGL where that is not set, and makes it current.

    MuJoCo by itself would choose glfw, which needs a display.

    Args:
        width: Of the default framebuffer in pixels; EGL has none.
        height: Likewise.

    Returns:
        A context with `make_current()` and `free()`.

    Raises:
        ImoveError: The platform is unknown, or its libraries or devices are missing.
    """
    platform = os.environ.get(PLATFORM_VARIABLE, "").strip().lower() or DEFAULT_PLATFORM
    if platform not in _PLATFORMS:
        raise unknown_name(PLATFORM_VARIABLE, platform, _PLATFORMS)
    interface = os.environ.get("PYOPENGL_PLATFORM", "").lower()
    if interface and interface != platform:
        raise ImoveError(
            f"no off-screen renderer: PYOPENGL_PLATFORM is {interface!r} but {PLATFORM_VARIABLE} is {platform!r}; "
            "leave PYOPENGL_PLATFORM unset"
        )
    try:
        context = importlib.import_module(_PLATFORMS[platform]).GLContext(width, height)
        context.make_current()
    # PyOpenGL and MuJoCo raise many kinds (ImportError, AttributeError, RuntimeError, GLError) for one cause.
    except Exception as error:
        raise ImoveError(
            f"no off-screen renderer with {PLATFORM_VARIABLE}={platform} ({_reason(error)}); {INSTALL_HINT}"
        ) from error
    return context


def driver_facts() -> dict[str, str]:
    """Renderer and version of the driver behind the current context."""
    from OpenGL import GL

    names = {"renderer": GL.GL_RENDERER, "version": GL.GL_VERSION}
    return {key: GL.glGetString(name).decode() for key, name in names.items()}


def check_gl() -> dict[str, str]:
    """Opens a small context and returns platform, renderer and version of the driver behind it.

    Raises:
        ImoveError: No context can be opened; the message says what to install.
    """
    context = open_context(16, 16)
    try:
        return {"platform": type(context).__module__.rpartition(".")[2], **driver_facts()}
    finally:
        context.free()


def _reason(error: Exception) -> str:
    """The first sentence of an error; attribute errors speak of PyOpenGL's inside where a library is missing."""
    if isinstance(error, AttributeError):
        return "its libraries are not installed"
    return " ".join(str(error).split()).partition(". ")[0].rstrip(".") or type(error).__name__
