"""Questions to an arm that has just been found: its firmware, and what its controller holds for each joint."""

from __future__ import annotations

import math
import threading

from imove_hardware.piper.checks import FIRMWARE, ArmFacts, JointRegister
from imove_hardware.piper.connection import Connection
from imove_hardware.piper.health import DRIVER_IDS, GRIPPER_ID, STATUS_ID
from imove_hardware.piper.reading import FEEDBACK_IDS, JOINTS, MOTOR_IDS

LISTEN_S = 1.0
"""An arm has told everything that it tells by itself within 0.1 s, an emulated one with few frames within 0.2 s."""
SETTLE_S = 0.1
"""A leader on the same bus is heard within this time."""
ANSWER_S = 0.3
FIRMWARE_TRIES, REGISTER_TRIES = 10, 5
"""How often is asked: an arm on a bus answers the first time, an emulated one on a busy machine may take seconds."""
ALL_IDS = frozenset((*FEEDBACK_IDS, STATUS_ID, GRIPPER_ID, *MOTOR_IDS, *DRIVER_IDS))
LIMITS_ID = 0x473
ASK_LIMITS = 0x01
NO_FIRMWARE = -0x4AF
RAD_PER_REGISTER_UNIT = math.radians(0.1)
SPEED_PER_REGISTER_UNIT = 1e-3


def identify(connection: Connection, ending: threading.Event) -> ArmFacts:
    """Listens, then asks; nothing that moves or changes the arm is sent.

    Args:
        connection: To the arm; this thread alone sends through it.
        ending: Set where nobody wants to know any more.
    """
    connection.wait(lambda: ALL_IDS <= connection.arrived.keys() and connection.health.known, LISTEN_S, ending)
    ending.wait(SETTLE_S)
    frame_ids = frozenset(connection.arrived)
    heard = bool(frame_ids & ALL_IDS)
    firmware = _firmware(connection, ending) if heard else ""
    registers = [_register(connection, joint, ending) if firmware else None for joint in range(1, JOINTS + 1)]
    reading = connection.reading
    positions = None if reading is None else reading.positions
    return ArmFacts(firmware, frame_ids, connection.health, tuple(registers), positions)


def _firmware(connection: Connection, ending: threading.Event) -> str:
    """Its text, "" where none comes. The SDK forgets what it has as it asks, and may so lose an answer."""
    sdk = connection.sdk

    def told() -> bool:
        version = sdk.GetPiperFirmwareVersion()
        return version != NO_FIRMWARE and FIRMWARE.fullmatch(version) is not None

    for _ in range(FIRMWARE_TRIES):
        sdk.SearchPiperFirmwareVersion()
        if connection.wait(told, ANSWER_S, ending) or ending.is_set():
            break
    version = sdk.GetPiperFirmwareVersion()
    return "" if version == NO_FIRMWARE else str(version)


def _register(connection: Connection, joint: int, ending: threading.Event) -> JointRegister | None:
    """What the controller holds for a joint; one is asked for at a time, since the SDK mixes up answers for all."""
    sdk = connection.sdk
    for _ in range(REGISTER_TRIES):
        before = connection.arrived[LIMITS_ID]

        def told(before: int = before) -> bool:
            register = sdk.GetCurrentMotorAngleLimitMaxVel().current_motor_angle_limit_max_vel
            return connection.arrived[LIMITS_ID] > before and register.motor_num == joint

        sdk.SearchMotorMaxAngleSpdAccLimit(joint, ASK_LIMITS)
        if connection.wait(told, ANSWER_S, ending):
            found = sdk.GetCurrentMotorAngleLimitMaxVel().current_motor_angle_limit_max_vel
            return JointRegister(
                found.min_angle_limit * RAD_PER_REGISTER_UNIT,
                found.max_angle_limit * RAD_PER_REGISTER_UNIT,
                found.max_joint_spd * SPEED_PER_REGISTER_UNIT,
            )
        if ending.is_set():
            break
    return None
