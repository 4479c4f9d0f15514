"""Times of a camera's images as ROS time."""

import numpy as np
import pytest

from imove_hardware.realsense.stamps import Domain, StampClock

MS = 1_000_000
START_NS = 1_800_000_000_000_000_000
PERIOD_NS = 33 * MS


def stamps_of(clock, device_ns, arrivals_ns, domain):
    return [clock.stamp(at, domain, arrival) for at, arrival in zip(device_ns, arrivals_ns, strict=True)]


def delays(count, seed=0):
    """How long images are on their way, ns."""
    return np.random.default_rng(seed).uniform(4 * MS, 30 * MS, count).astype(int)


@pytest.mark.parametrize("domain", [Domain.SYSTEM, Domain.GLOBAL])
def test_host_time_is_taken_as_it_is(domain):
    exposed = [START_NS + index * PERIOD_NS for index in range(50)]
    arrivals = [at + int(delay) for at, delay in zip(exposed, delays(50), strict=True)]
    assert stamps_of(StampClock(), exposed, arrivals, domain) == exposed


def test_device_time_keeps_its_spacing_and_lies_at_the_shortest_delay():
    clock, exposed = StampClock(), [START_NS + index * PERIOD_NS for index in range(300)]
    arrivals = [at + int(delay) for at, delay in zip(exposed, delays(300), strict=True)]
    device = [at - exposed[0] + 7 * MS for at in exposed]
    stamps = np.array(stamps_of(clock, device, arrivals, Domain.HARDWARE))
    error_ms = (stamps - exposed)[100:] / MS
    assert 0 <= error_ms.min() and error_ms.max() < 6
    assert clock.jumps == 0


@pytest.mark.parametrize("drift", [-1e-4, 1e-4])
def test_drift_is_followed(drift):
    clock, count = StampClock(), 20_000
    exposed = START_NS + PERIOD_NS * np.arange(count)
    device = ((exposed - exposed[0]) * (1 + drift)).astype(int)
    arrivals = exposed + delays(count)
    stamps = np.array(stamps_of(clock, device.tolist(), arrivals.tolist(), Domain.HARDWARE))
    error_ms = (stamps - exposed)[200:] / MS
    # Over these 11 minutes the clocks part by 66 ms.
    assert -1 < error_ms.min() and error_ms.max() < 8
    assert clock.jumps == 0


def test_device_clock_that_starts_anew_is_unwrapped():
    wrap_ns = 2**32 * 1000
    clock, true = StampClock(), [wrap_ns - 5 * PERIOD_NS + index * PERIOD_NS for index in range(10)]
    arrivals = [START_NS + index * PERIOD_NS for index in range(10)]
    stamps = stamps_of(clock, [at % wrap_ns for at in true], arrivals, Domain.HARDWARE)
    assert np.diff(stamps).tolist() == [PERIOD_NS] * 9
    assert clock.jumps == 0


@pytest.mark.parametrize("domain", list(Domain))
def test_jump_of_the_cameras_clock_is_counted_and_does_no_harm(domain):
    clock = StampClock()
    arrivals = [START_NS + index * PERIOD_NS for index in range(20)]
    device = [at - 5 * MS + (3600 * 1000 * MS if index >= 10 else 0) for index, at in enumerate(arrivals)]
    stamps = stamps_of(clock, device, arrivals, domain)
    assert None not in stamps
    assert stamps == sorted(stamps)
    assert max(abs(stamp - arrival) for stamp, arrival in zip(stamps, arrivals, strict=True)) <= 5 * MS
    assert clock.jumps == (1 if domain is Domain.HARDWARE else 0)


def test_stamps_never_go_back_nor_lie_in_the_future():
    clock = StampClock()
    assert clock.stamp(START_NS, Domain.GLOBAL, START_NS + 5 * MS) == START_NS
    assert clock.stamp(START_NS - MS, Domain.GLOBAL, START_NS + 38 * MS) is None
    assert clock.stamp(START_NS, Domain.GLOBAL, START_NS + 38 * MS) is None
    assert clock.stamp(START_NS + 80 * MS, Domain.GLOBAL, START_NS + 70 * MS) == START_NS + 70 * MS


def test_clock_of_the_host_that_is_set_back_is_followed():
    clock, hour_ns = StampClock(), 3600 * 1000 * MS
    assert clock.stamp(START_NS, Domain.GLOBAL, START_NS + 5 * MS) == START_NS
    assert clock.stamp(START_NS - hour_ns, Domain.GLOBAL, START_NS - hour_ns + 5 * MS) == START_NS - hour_ns
    assert clock.jumps == 1
    assert clock.stamp(START_NS - hour_ns, Domain.GLOBAL, START_NS - hour_ns + 9 * MS) is None


def test_camera_that_starts_anew_may_have_another_clock():
    clock = StampClock()
    first = clock.stamp(900_000 * MS, Domain.HARDWARE, START_NS)
    clock.restart()
    second = clock.stamp(5 * MS, Domain.HARDWARE, START_NS + 2000 * MS)
    assert (first, second, clock.jumps) == (START_NS, START_NS + 2000 * MS, 0)
