"""Asset folders as RoboOrchardSim looks for them: labels in a URDF, geometry in a USD, interactions and captions.

Its index takes `<domain>/<super_category>/<name>/<name>.urdf` with a USD of the same name beside it
(HorizonRobotics/RoboOrchardSim, asset_manager/registry).
"""

from __future__ import annotations

from pathlib import Path

from imove_tasks.assets.exporting.usd import write_usd
from imove_tasks.assets.model import Asset
from imove_tasks.assets.storage import fill_folder


def write_roboorchard(asset: Asset, folder: Path, name: str) -> Path:
    """Writes `<name>.urdf`, `<name>.usd` and all that belongs to them.

    Args:
        asset: What to write.
        folder: Exists and is empty.
        name: Of both files, without ending.

    Returns:
        The URDF.

    Raises:
        ImoveError: usd-core is not installed.
    """
    write_usd(asset, folder, name)
    return fill_folder(asset, folder, name)
