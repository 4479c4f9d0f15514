"""The calibration wizard: from images of a board to a rig file."""

import http.client
import io
import json
from datetime import UTC, date, datetime

import numpy as np
import pytest
from PIL import Image

from imove_console.calibration import Calibration
from imove_console.calibration_board import board_png, corners_of, view_of
from imove_console.calibration_samples import Choice
from imove_core.calibration.board import CharucoBoard
from imove_core.calibration.result import with_calibration
from imove_core.errors import ImoveError
from imove_core.hardware import Calibrated
from imove_core.kinematics import flange_pose, link_poses
from imove_core.rig import load_rig
from imove_core.transforms import inverse, transform_from_xyz_rpy

from .board_scene import BOARD, Scene, facing, picture_of
from .console_helpers import DEADLINE_S, serving

OFF = transform_from_xyz_rpy((0.012, -0.008, 0.015), (0.02, -0.03, 0.015))
HAND, FIXED = "left_hand_camera", "static_camera"
NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)


def hand_scene():
    """A camera on the left hand, and a board before it, which lies still."""
    rig = load_rig("piperx_dual")
    camera, arm = rig.camera(HAND), rig.arm("left")
    link = link_poses(arm.arm_model, arm.home_positions[:-1])[camera.arm_and_link[1]]
    world_from_camera = arm.world_from_base.matrix @ link @ camera.parent_from_optical.matrix @ OFF
    return Scene(HAND, facing(world_from_camera, 0.33), OFF)


def fixed_scene():
    """A camera above the table, and a board that the left arm carries."""
    rig = load_rig("piperx_dual")
    camera, arm = rig.camera(FIXED), rig.arm("left")
    flange = arm.world_from_base.matrix @ flange_pose(arm.arm_model, arm.home_positions[:-1])
    seen = facing(camera.parent_from_optical.matrix, 0.55)
    return Scene(FIXED, inverse(flange) @ seen, OFF)


def apart(one, other):
    """Distance in mm and angle in degrees."""
    between = inverse(one) @ other
    angle = np.degrees(np.arccos(np.clip((np.trace(between[:3, :3]) - 1) / 2, -1, 1)))
    return 1e3 * np.linalg.norm(between[:3, 3]), angle


def wandered(calibration, scene, arm, views, most_rad):
    """Takes views from places at which the board is seen."""
    taken = 0
    for _ in range(20 * views):
        scene.wander(arm, most_rad)
        try:
            calibration.take()
        except ImoveError:
            continue
        taken += 1
        if taken == views:
            return
    raise AssertionError(f"the board was seen {taken} times only")


def test_corners_are_where_they_are():
    intrinsics = load_rig("piperx_dual").camera(FIXED).intrinsics
    pose = facing(np.eye(4), 0.45, rpy=(0.3, -0.2, 0.4))
    image = picture_of(pose, intrinsics)
    ids, pixels = corners_of(image, BOARD)
    assert len(ids) == len(BOARD.corners_m)
    points = BOARD.corners_m[ids] @ pose[:3, :3].T + pose[:3, 3]
    truth = (points / points[:, 2:]) @ intrinsics.matrix.T
    assert np.abs(pixels - truth[:, :2]).max() < 0.5
    view = view_of(image, BOARD, intrinsics, np.zeros(5))
    millimetres, degrees = apart(pose, view.camera_from_board)
    assert millimetres < 1.5
    assert degrees < 0.3
    assert view.reprojection_px < 0.3


def test_no_board_and_a_piece_of_one_are_said():
    intrinsics = load_rig("piperx_dual").camera(FIXED).intrinsics
    grey = np.full((intrinsics.height, intrinsics.width, 3), 120, np.uint8)
    with pytest.raises(ImoveError, match="0 corners of the board are seen; at least 8"):
        view_of(grey, BOARD, intrinsics, np.zeros(5))
    with pytest.raises(ImoveError, match="unknown set of markers 'DICT_NONE'"):
        corners_of(grey, BOARD.model_copy(update={"dictionary": "DICT_NONE"}))
    with pytest.raises(ImoveError, match="needs 800 markers; DICT_5X5_250 has 250"):
        corners_of(grey, CharucoBoard(columns=40, rows=40))


def test_the_board_is_printed_in_its_true_size():
    image = Image.open(io.BytesIO(board_png(BOARD)))
    width_m = image.width / image.info["dpi"][0] * 0.0254
    assert width_m == pytest.approx(BOARD.columns * BOARD.square_m + 0.02, abs=1e-3)
    ids, _ = corners_of(np.asarray(image), BOARD)
    assert len(ids) == len(BOARD.corners_m)


@pytest.mark.parametrize(
    ("scene", "camera", "most_rad"), [(hand_scene, HAND, 0.28), (fixed_scene, FIXED, 0.25)], ids=["on hand", "beside"]
)
def test_a_camera_is_found_where_it_is(tmp_path, scene, camera, most_rad):
    table = scene()
    calibration = Calibration(table.rig, tmp_path / "rigs", table)
    calibration.begin(Choice(kind="hand_eye", camera=camera, arm="left"))
    assert table.looked_at == camera
    wandered(calibration, table, "left", 10, most_rad)
    outcome = calibration.solve()
    millimetres, degrees = apart(table.truth, outcome.rig.camera(camera).parent_from_optical.matrix)
    assert millimetres < 3.0
    assert degrees < 0.4
    assert outcome.verdict == "ok"
    assert outcome.moved_mm == pytest.approx(1e3 * np.linalg.norm(OFF[:3, 3]), abs=3.0)
    path = calibration.write(NOW)
    assert path.name == "piperx_dual-20260504-123000.yaml"
    written = load_rig(str(path))
    assert written.cameras == outcome.rig.cameras
    assert written.arms == table.rig.arms
    assert "10 views" in path.read_text().splitlines()[0]
    (note,) = written.hardware.calibration.values()
    assert list(written.hardware.calibration) == [camera]
    assert note.calibrated_on == NOW.date() and note.residual_mm == pytest.approx(outcome.rms_mm, abs=1e-3)
    errors = [sample["reprojection_px"] for sample in calibration.plain()["samples"]]
    assert min(errors) - 1e-3 <= note.reprojection_px <= max(errors) + 1e-3
    days = {item["name"]: item["calibrated_on"] for item in calibration.plain()["cameras"]}
    assert [name for name, day in days.items() if day] == [camera] and days[camera] == "2026-05-04"
    # The next camera goes into a file that has this one as well.
    assert calibration.rig == written


def test_the_table_is_put_where_the_board_lies(tmp_path):
    rig = load_rig("piperx_dual")
    world_from_camera = rig.camera(FIXED).parent_from_optical.matrix
    # The table is really 9 mm lower than the file has it, and tilted a little.
    world_from_table = transform_from_xyz_rpy((0, 0, -0.009), (0.01, 0.0, 0.0))
    # Seen from so high up, a print of A3 is needed.
    large = CharucoBoard(columns=6, rows=4, square_m=0.065, marker_m=0.048)
    scene = Scene(FIXED, np.eye(4), np.eye(4), print_=large, carried=False)
    calibration = Calibration(rig, tmp_path, scene)
    calibration.begin(Choice(kind="table", camera=FIXED, board=large))
    with pytest.raises(ImoveError, match="at 0 places of the table; 3 are needed"):
        calibration.solve()
    for x, y in ((0.25, 0.2), (0.3, 0.0), (0.42, -0.2), (0.24, -0.25)):
        scene.board = world_from_table @ transform_from_xyz_rpy((x, y, 0), (np.pi, 0, 0.4))
        calibration.take()
    outcome = calibration.solve()
    assert outcome.moved_mm == pytest.approx(9.0, abs=1.5)
    assert outcome.turned_deg == pytest.approx(np.degrees(0.01), abs=0.25)
    # Arms and camera stay where they are to each other; the table comes to z = 0.
    camera = outcome.rig.camera(FIXED).parent_from_optical.matrix
    for arm in outcome.rig.arms:
        before = inverse(world_from_camera) @ rig.arm(arm.name).world_from_base.matrix
        assert np.allclose(inverse(camera) @ arm.world_from_base.matrix, before, atol=1e-9)
    on_table = camera @ inverse(world_from_camera) @ world_from_table @ [0.3, 0.0, 0.0, 1.0]
    assert abs(on_table[2]) < 1.5e-3
    # What was calibrated before is still told.
    earlier = Calibrated(calibrated_on=date(2026, 3, 1), reprojection_px=0.4)
    calibration.rig = with_calibration(rig, FIXED, earlier)
    calibration.solve()
    written = load_rig(str(calibration.write(NOW)))
    assert written.hardware.calibration[FIXED] == earlier
    assert written.hardware.calibration["table"].calibrated_on == NOW.date()


def test_a_board_of_another_size_is_no_calibration(tmp_path):
    table = hand_scene()
    calibration = Calibration(table.rig, tmp_path, table)
    wrong = BOARD.model_copy(update={"square_m": 0.05, "marker_m": 0.04})
    calibration.begin(Choice(kind="hand_eye", camera=HAND, board=wrong))
    wandered(calibration, table, "left", 8, 0.28)
    assert calibration.solve().verdict == "error"
    with pytest.raises(ImoveError, match="which is no calibration; check the board's size"):
        calibration.write(NOW)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_calibrated_is_said(tmp_path):
    scene = hand_scene()
    calibration = Calibration(scene.rig, tmp_path, scene)
    with pytest.raises(ImoveError, match="nothing is being calibrated"):
        calibration.take()
    with pytest.raises(ImoveError, match="moves with an arm; choose one that is fixed"):
        calibration.begin(Choice(kind="table", camera=HAND))
    with pytest.raises(ImoveError, match="unknown camera"):
        calibration.begin(Choice(kind="hand_eye", camera="x"))
    with pytest.raises(ImoveError, match="unknown arm"):
        calibration.begin(Choice(kind="hand_eye", camera=FIXED, arm=""))
    calibration.begin(Choice(kind="hand_eye", camera=HAND))
    with pytest.raises(ImoveError, match="nothing has been computed"):
        calibration.write(NOW)
    for _ in range(6):
        calibration.take()
    # The hand never turned.
    with pytest.raises(ImoveError, match="turn"):
        calibration.solve()
    calibration.drop(2)
    assert [sample["number"] for sample in calibration.plain()["samples"]] == [1, 3, 4, 5, 6]


def test_the_page_calibrates(tmp_path):
    scene = hand_scene()
    calibration = Calibration(scene.rig, tmp_path, scene)

    def ask(method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", console.server.port, timeout=DEADLINE_S)
        connection.request(method, f"/api/calibration{path}", body, headers)
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def post(path, **body):
        status, found = ask("POST", path, json.dumps(body), **{"X-Imove-Console": "page"})
        return status, json.loads(found)

    with serving(calibration=calibration) as console:
        assert json.loads(ask("GET", "")[1])["choice"] is None
        assert ask("POST", "/begin", "{}")[0] == 403
        for bad in ({"kind": "x", "camera": HAND}, {"kind": "hand_eye", "camera": HAND, "file": "/etc"}):
            assert post("/begin", **bad)[0] == 422
        assert post("/begin", kind="hand_eye", camera=HAND, pad="x" * 20_000)[1]["error"].endswith("16384 bytes")
        assert post("/begin", kind="hand_eye", camera=HAND)[1]["needed"] == 5
        state = post("/take")[1]
        assert state["samples"][0]["corners"] == 24
        assert ask("GET", "/picture/1")[1].startswith(b"\xff\xd8\xff")
        assert ask("GET", "/picture/2")[0] == 404
        assert ask("GET", "/board.png")[1].startswith(b"\x89PNG")
        assert post("/solve")[0] == 422
        assert post("/drop", number="1")[0] == 422
        assert post("/drop", number=1)[1]["samples"] == []
        assert post("/end")[1]["choice"] is None
        assert scene.looked_at is None
    assert list(tmp_path.iterdir()) == []
