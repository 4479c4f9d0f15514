"""Turns a folder of foreign assets (URDF, MJCF, loose meshes) into a corpus of our own.

`import_folder` is the way in. A reader turns each asset into one common value (`foreign.Foreign`), which is then
scaled, mended, measured and named (`assemble.assembled`). What cannot be made true is refused with one sentence.
"""

from imove_tasks.assets.importing.corpus import ImportSettings, import_folder
from imove_tasks.assets.importing.report import ImportReport, Outcome

__all__ = ["ImportReport", "ImportSettings", "Outcome", "import_folder"]
