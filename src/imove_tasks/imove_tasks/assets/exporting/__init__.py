"""Assets in the forms that simulators and viewers read: URDF, GLB, MJCF, USD."""

from imove_tasks.assets.exporting.batch import Exported, export_all
from imove_tasks.assets.exporting.formats import FORMATS, Format, get_format

__all__ = ["FORMATS", "Exported", "Format", "export_all", "get_format"]
