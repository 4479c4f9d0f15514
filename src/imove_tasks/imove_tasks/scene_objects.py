"""Scene objects from assets and poses."""

from imove_core.meaning import LABEL_FIELDS
from imove_core.spec import PlaceRegion, Role, SceneObject
from imove_core.transforms import Array, quaternion_from_rotation
from imove_tasks.assets.model import TAG_GRASPABLE, Asset


def scene_object(object_id: str, asset: Asset, role: Role, world_from_object: Array) -> SceneObject:
    """The object of a spec that an asset becomes at a pose (4, 4)."""
    region = asset.region
    return SceneObject(
        id=object_id,
        asset=asset.uuid,
        asset_hash=asset.content_hash(),
        role=role,
        phrase=asset.phrase,
        labels={name: getattr(asset, name) for name in LABEL_FIELDS},
        graspable=TAG_GRASPABLE in asset.tags,
        box_min=tuple(asset.box_min.tolist()),
        box_max=tuple(asset.box_max.tolist()),
        region=None
        if region is None
        else PlaceRegion(center=tuple(region.center.tolist()), half_extents=region.half_extents, round=region.round),
        position=tuple(float(value) for value in world_from_object[:3, 3]),
        quaternion_xyzw=tuple(float(value) for value in quaternion_from_rotation(world_from_object[:3, :3])),
    )
