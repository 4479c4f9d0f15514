"""Proves the scenes of a frozen suite again, from what stands in its specs."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from imove_bringup.freezing.proving import Prover
from imove_bringup.freezing.settling import AT_REST_M, rest_drift_m
from imove_core.certificate import Certificate
from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import AssetLibrary, open_library
from imove_tasks.goals import Goal
from imove_tasks.grounding import check_goal, ground, things_of
from imove_tasks.language import parse
from imove_tasks.suites import Suite


class Certifier:
    """Proves specs on one rig and simulator."""

    def __init__(self, rig: Rig, library: AssetLibrary, backend: SimBackend) -> None:
        """Works with a simulator of the rig."""
        self._library, self._backend = library, backend
        self._prover = Prover(rig, backend)

    def certificate(self, spec: EpisodeSpec) -> Certificate:
        """A new certificate of a spec.

        Raises:
            ImoveError: The spec has none, or something of it does not hold; the message says what.
        """
        if spec.certificate is None:
            raise ImoveError("the spec has no certificate and thus no goals to prove; freeze it anew")
        self.check_texts(spec)
        drift_m = rest_drift_m(self._backend, spec)
        if drift_m > AT_REST_M:
            raise ImoveError(f"an object moves {drift_m * 1e3:.1f} mm from where it is said to rest")
        goals = [
            Goal(meaning=goal.meaning, target=goal.target, destination=goal.destination)
            for goal in spec.certificate.goals
        ]
        assets = {item.id: self._library.get(item.asset) for item in spec.objects}
        proved = self._prover.prove(spec, goals, assets)
        return Certificate(
            engine=str(self._backend.provenance()["engine"]),
            drift_m=round(drift_m, 6),
            candidates=proved.candidates,
            goals=tuple(
                goal.model_copy(update={"placed": done})
                for goal, done in zip(spec.certificate.goals, proved.placed, strict=True)
            ),
        )

    def check_texts(self, spec: EpisodeSpec) -> None:
        """Raises ImoveError unless every text means what is stored, and is about the objects that are stored."""
        things = things_of(spec.objects)
        for condition, said in spec.instructions.items():
            if said.meaning is not None and parse(said.text) != said.meaning:
                raise ImoveError(f"the text of condition {condition} means something else than what is stored")
            found = ground(said.meaning, things)
            if (found.target, found.destination) != (said.target, said.destination):
                raise ImoveError(f"the text of condition {condition} is about {found.target}, not {said.target}")
        for goal in spec.certificate.goals if spec.certificate else ():
            if parse(goal.text) != goal.meaning:
                raise ImoveError(f"the goal {goal.text!r} means something else than what is stored")
            check_goal(goal.meaning, things, goal.target, goal.destination)


@dataclass(frozen=True)
class _Setting:
    rig: str
    assets: tuple[Path, ...]

    def certifier(self) -> Certifier:
        rig, library = load_rig(self.rig), open_library(self.assets)
        return Certifier(rig, library, MujocoBackend(rig, library.get, (64, 48)))


_certifiers: list[Certifier] = []


def _start(setting: _Setting) -> None:
    _certifiers[:] = [setting.certifier()]


def _certify(spec: EpisodeSpec) -> Certificate | str:
    try:
        return _certifiers[0].certificate(spec)
    except ImoveError as error:
        return str(error)


def certify_suite(
    suite: Suite, workers: int, assets: Sequence[Path], rig: str = ""
) -> Iterator[tuple[EpisodeSpec, Certificate | str]]:
    """Yields each spec of a suite, in order, with its new certificate, or with what of it does not hold.

    Args:
        suite: The suite.
        workers: Processes side by side.
        assets: Corpus folders beside the shipped library.
        rig: File of the suite's rig; "" for the shipped one of its name.

    Raises:
        ImoveError: The rig cannot be loaded, or is another one.
    """
    suite.open_rig(rig)
    setting = _Setting(rig or suite.rig, tuple(assets))
    if workers == 1:
        _start(setting)
        yield from ((spec, _certify(spec)) for spec in suite.specs)
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=(setting,)) as pool:
        yield from zip(suite.specs, pool.map(_certify, suite.specs), strict=True)
