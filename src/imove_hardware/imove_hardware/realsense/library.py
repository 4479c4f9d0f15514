"""Loads the RealSense library, also where the operating system lacks the USB library that it wants."""

from __future__ import annotations

import ctypes
import importlib
from functools import cache
from typing import Any

from imove_core.errors import ImoveError

_USB_LIBRARY = "libusb-1.0.so.0"


@cache
def realsense() -> Any:
    """The module pyrealsense2.

    It is linked against libusb-1.0. Where the system has none, that of the package libusb-package takes its place: it
    bears the same name inside, so that the linker is content when it is there already.

    Raises:
        ImoveError: The library cannot be loaded.
    """
    try:
        _load_usb_library()
        return importlib.import_module("pyrealsense2")
    except (ImportError, OSError) as error:
        raise ImoveError(
            f"the RealSense library cannot be loaded: {error}; install pyrealsense2, and libusb-1.0-0 or libusb-package"
        ) from error


def _load_usb_library() -> None:
    try:
        ctypes.CDLL(_USB_LIBRARY)
    except OSError:
        package = importlib.import_module("libusb_package")
        ctypes.CDLL(str(package.get_library_path()), ctypes.RTLD_GLOBAL)
