"""A rig, plain test objects, specs that place them, and simulators that are closed when a test ends."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.kinematics import tool_pose
from imove_core.meaning import Description, Meaning
from imove_core.randomization import PLAIN, Randomization
from imove_core.rig import Rig, load_rig
from imove_core.spec import CONDITIONS, EpisodeSpec, Instruction
from imove_core.state import StepState, pose_hash
from imove_core.trajectory import JointCommand
from imove_core.transforms import apply, inverse, transform
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.affordances import Grip, StablePose
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.looks import Material, VisualMesh
from imove_tasks.assets.model import TAG_GRASPABLE, Asset, CollisionPart, Expression
from imove_tasks.assets.primitives import box, ellipsoid
from imove_tasks.scene_objects import scene_object
from imove_tasks.suites import open_suite

RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
BLOCK_HALF = (0.03, 0.018, 0.025)
MARKER_RADIUS_M = 0.006


def make_asset(name: str, rgba: tuple[float, ...], part: CollisionPart, **changes: object) -> Asset:
    """An asset of one contact part that looks as it feels."""
    size = part.size
    mesh = box(*size) if part.shape == "box" else ellipsoid(*size * 3, sectors=24, rings=15)
    half = np.array(size if part.shape == "box" else size * 3)
    values = {
        "uuid": f"test-{name}", "name": name, "domain": "test", "super_category": "test", "category": name,
        "color": "red", "shape": part.shape, "material": "plastic", "size_bucket": "small", "tags": frozenset(),
        "mass_kg": 0.1, "friction": 0.7, "rolling_friction": 0.0,
        "visuals": (VisualMesh(mesh.vertices, mesh.faces, Material("plastic", rgba)),), "collisions": (part,),
        "grips": (), "box_min": -half, "box_max": half,
        "expressions": (Expression(name, (("category", name),), "seen"),), "description": f"A {name}.",
        "stable_poses": (StablePose(np.eye(3), float(half[2]), [(0.0, 0.0)], 0.0),),
    }  # fmt: skip
    return Asset(**(values | changes))


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture(scope="session")
def assets() -> dict[str, Asset]:
    """Test objects: two blocks that can be picked from above across y, and small balls in three pure colours."""
    grip = Grip(
        center=(0, 0, 0), closing_axis=(0, 1, 0), approach=(0, 0, -1), width_m=2 * BLOCK_HALF[1],
        opening_m=2 * BLOCK_HALF[1] + 0.01, free_yaw=False, depth_m=BLOCK_HALF[2],
    )  # fmt: skip
    part = CollisionPart("box", BLOCK_HALF, np.eye(4))
    ball = CollisionPart("sphere", (MARKER_RADIUS_M,), np.eye(4))
    grasp = {"tags": frozenset({TAG_GRASPABLE}), "grips": (grip,)}
    return {
        "block": make_asset("block", BLUE, part, **grasp),
        "other block": make_asset("other block", GREEN, part, **grasp),
        "red ball": make_asset("red ball", RED, ball),
        "green ball": make_asset("green ball", GREEN, ball),
        "blue ball": make_asset("blue ball", BLUE, ball),
    }


Placed = tuple[str, Sequence[float]]
MakeSpec = Callable[..., EpisodeSpec]


@pytest.fixture(scope="session")
def make_spec(assets: dict[str, Asset]) -> MakeSpec:
    """Makes the spec of a scene with test objects at positions, upright; the first is the target."""

    def make(*placed: Placed, rig_name: str = "piperx_dual", looks: Randomization = PLAIN) -> EpisodeSpec:
        objects = tuple(
            scene_object(
                f"object_{number}", assets[name], "distractor" if number else "target", transform(None, position)
            )
            for number, (name, position) in enumerate(placed)
        )
        meaning = Meaning(pick=Description(fields={"category": objects[0].labels["category"]}))
        instruction = Instruction(text="pick it", raw_text="pick it", meaning=meaning, target="object_0")
        return EpisodeSpec(
            schema_version=2, id="test/scene/000", family="test", split="scene", primitive="pick", rig=rig_name, seed=0,
            objects=objects, instructions={name: instruction for name in CONDITIONS}, randomization=looks,
        )  # fmt: skip

    return make


@pytest.fixture
def blocks(make_spec: MakeSpec) -> EpisodeSpec:
    """Two blocks that stand on the table, one in reach of each arm."""
    return make_spec(("block", (0.30, 0.15, BLOCK_HALF[2])), ("other block", (0.30, -0.15, BLOCK_HALF[2])))


@pytest.fixture(scope="session")
def library() -> AssetLibrary:
    """The shipped objects."""
    return AssetLibrary.shipped()


@pytest.fixture(scope="session")
def drawn() -> list[EpisodeSpec]:
    """Two scenes of shipped objects."""
    specs = open_suite("pick_category/seen").specs
    return [specs[0], specs[3]]


OpenBackend = Callable[..., SimBackend]


@pytest.fixture
def open_backend(rig: Rig, assets: dict[str, Asset], library: AssetLibrary) -> Iterator[OpenBackend]:
    """Opens simulators by name, which know the test objects and the generated ones; takes other rigs and sizes."""
    by_uuid = {asset.uuid: asset for asset in assets.values()}
    opened: list[SimBackend] = []

    def find(uuid: str) -> Asset:
        return by_uuid[uuid] if uuid in by_uuid else library.get(uuid)

    def open_one(name: str, rig: Rig = rig, size: tuple[int, int] = (64, 48)) -> SimBackend:
        backend = create_backend(name, rig, find, size)
        opened.append(backend)
        return backend

    yield open_one
    for backend in opened:
        backend.close()


def to_position(stamp_ns: int, position: Sequence[float], after_s: float) -> JointCommand:
    """A command with one point."""
    return JointCommand(stamp_ns, np.array([stamp_ns + round(after_s * 1e9)]), np.array([position], dtype=float))


@pytest.fixture(scope="session")
def move_to() -> Callable[[int, Sequence[float], float], JointCommand]:
    """Makes the command that reaches one position of an arm some seconds after a stamp."""
    return to_position


def _bits(states: list[StepState]) -> list[str]:
    """Every number of some states but the stamps, exactly."""
    return [
        " ".join(
            [
                pose_hash(state.objects),
                *(part.tobytes().hex() for part in dataclasses.astuple(state.robot)),
                *(
                    item.linear_velocity.tobytes().hex() + item.angular_velocity.tobytes().hex()
                    for item in state.objects
                ),
                *(f"{item.moved}{item.held_by}{item.touched_by}{item.supported_by}" for item in state.objects),
            ]
        )
        for state in states
    ]


def _push(rig: Rig, stamp_ns: int) -> dict[str, JointCommand]:
    """The command that drives the closing left hand into where the block stands."""
    arm = rig.arms[0]
    # Straight down, as at home.
    base_from_tool = tool_pose(arm.arm_model, np.array(arm.home))
    base_from_tool[:3, 3] = apply(inverse(arm.world_from_base.matrix), [0.31, 0.15, 0.03])
    nearest = min(
        inverse_kinematics(arm.arm_model).solve(base_from_tool), key=lambda q: float(np.abs(q - arm.home).max())
    )
    return {"left": JointCommand(stamp_ns, np.array([stamp_ns + 600_000_000]), np.array([[*nearest, 0.01]]))}


def _sweep(backend: SimBackend, rig: Rig, steps: int = 40, portion: int = 40) -> list[StepState]:
    """Resets and pushes; returns every state."""
    states = [backend.reset()]
    commands = _push(rig, states[0].stamp_ns)
    while len(states) <= steps:
        states += backend.advance(commands, portion)
        commands = {}
    return states


@pytest.fixture(scope="session")
def bits() -> Callable[[list[StepState]], list[str]]:
    """Turns states into text that is equal only where every bit but those of the stamps is."""
    return _bits


@pytest.fixture(scope="session")
def push() -> Callable[[Rig, int], dict[str, JointCommand]]:
    """Makes the command that drives the left hand into the block, by rig and stamp."""
    return _push


@pytest.fixture(scope="session")
def sweep() -> Callable[..., list[StepState]]:
    """Resets a loaded backend, pushes, and returns all states."""
    return _sweep


@pytest.fixture
def backend(engine: str, open_backend: OpenBackend) -> SimBackend:
    """The simulator under test; test files parametrise `engine`."""
    return open_backend(engine)
