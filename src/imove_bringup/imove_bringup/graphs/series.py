"""Evaluation graphs one after another: the runs of suites by policies by seeds, each with a graph of its own."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imove_bringup import preflight
from imove_bringup.arguments import POSITIVE, Kind, LaunchArgument, Values, conditions_kind
from imove_bringup.graphs import evaluation, parts
from imove_bringup.graphs.model import Graph, NodeDescription
from imove_core.errors import ImoveError

if TYPE_CHECKING:
    from imove_bringup.evaluation.plan import PlannedRun

SUITES = LaunchArgument(
    "suites",
    "Several suites one after another, in place of suite, separated by commas; paper: the seven shipped ones of the "
    "paper's tasks. Policies then run one after another too, not blinded.",
    "",
)
REPEATS = LaunchArgument(
    "repeats",
    "Run everything with so many seeds, from the one given on. Policies then run one after another, not blinded.",
    "1",
    POSITIVE,
)
USUAL_CONDITION = "normal"


def conditions_argument() -> LaunchArgument:
    """Another name for `condition`."""
    kind = conditions_kind()
    either = Kind(f"empty, or {kind.allowed}", lambda text: kind.convert(text) if text else "")
    return LaunchArgument("conditions", "The same as condition; empty for what that says.", "", either)


def with_condition(values: Values) -> Values:
    """Puts what `conditions` says into `condition`.

    Raises:
        ImoveError: They say different things.
    """
    conditions, condition = values.text("conditions"), values.text("condition")
    if conditions and condition not in (USUAL_CONDITION, conditions):
        raise ImoveError(
            f"condition:={condition} and conditions:={conditions} are two names for one thing; give one of them"
        )
    return values.replaced(condition=conditions or condition, conditions="")


def is_series(values: Values) -> bool:
    """Whether values ask for runs one after another: suites, or repeats."""
    return bool(values.text("suites")) or values.number("repeats") > 1


def complete(values: Values, now: datetime) -> Values:
    """Fills in what every process must find, whatever its working directory.

    Args:
        values: As parsed, of a series.
        now: Local time, for the name of the output folder.

    Returns:
        The values with the names or absolute paths of all suites under `suites`, and `output` above the folders of
        the runs.

    Raises:
        ImoveError: A suite is unknown, or suites are given twice over.
    """
    from imove_bringup.evaluation.plan import chosen_policies
    from imove_eval.blinded.policies import PolicyChoice, policies_text
    from imove_eval.suite_groups import parse_suites

    suite, suites, policies = (values.text(name) for name in ("suite", "suites", "policies"))
    if suite and suites:
        raise ImoveError(f"suite:={suite} and suites:={suites} cannot go together; name all suites in suites:=")
    named = parse_suites(suites) if suites else (suite or parts.task_suite(values.text("task"), values.text("rig")),)
    chosen = chosen_policies(policies, PolicyChoice(values.text("policy")))
    return values.replaced(
        suite="",
        suites=",".join(parts.suite_reference(each) for each in named),
        policies=policies_text(chosen) if policies else "",
        policy_config=parts.config_reference(values.text("policy_config")),
        assets=parts.asset_references(values.text("assets")),
        safety=parts.config_reference(values.text("safety")),
        output=parts.absolute(values.text("output") or f"runs/protocol-{now:%Y%m%d-%H%M%S}"),
    )


def plan(values: Values) -> list[PlannedRun]:
    """The runs of a series, the same, and in the same folders, as `imove eval` makes of the same words.

    Args:
        values: Completed ones.

    Raises:
        ImoveError: A suite cannot be run as wanted, or two runs would share a folder.
    """
    from imove_bringup.evaluation.plan import chosen_policies, plan_runs
    from imove_eval.blinded.policies import PolicyChoice
    from imove_eval.suite_groups import parse_suites

    one = PolicyChoice(*(values.text(name) for name in ("policy", "policy_config", "policy_url")))
    texts = ("condition", "rig", "clock", "scheduler", "latency", "safety", "sim")
    common: dict[str, Any] = {
        **{name: values.text(name) for name in texts},
        **{name: values.number(name) for name in ("episodes", "execute_steps")},
        **parts.image_parameters(values),
    }
    first = values.number("seed")
    return plan_runs(
        parse_suites(values.text("suites")),
        chosen_policies(values.text("policies"), one),
        range(first, first + values.number("repeats")),
        common,
        Path(values.text("output")),
    )


def single(values: Values, planned: PlannedRun) -> Values:
    """The completed values of the ordinary graph that carries out one run of a series.

    Raises:
        ImoveError: The settings of the safety layer do not fit the rig.
    """
    settings = planned.run.settings
    of_run = values.replaced(
        suite=planned.suite,
        suites="",
        policy=settings.policy,
        policy_config=settings.policy_config,
        policy_url=planned.policy_url,
        policies="",
        rig=values.text("rig") or planned.run.rig.name,
        seed=settings.seed,
        repeats=1,
        output=str(planned.folder),
    )
    return evaluation.complete(of_run, datetime.now())


def check(values: Values) -> None:
    """Checks before anything starts that every run can be done here.

    Raises:
        ImoveError: One cannot.
    """
    from imove_bringup.evaluation.checking import check_runs
    from imove_eval.output_folder import NEEDED_BYTES, check_free_space
    from imove_tasks.assets.library import folders_from

    preflight.check_view(values.text("view"))
    preflight.check_assets(values.text("assets"))
    planned, output = plan(values), values.text("output")
    check_runs(planned, folders_from(values.text("assets")))
    for each in planned:
        single(values, each)
    check_free_space(Path(output), len(planned) * NEEDED_BYTES)
    preflight.check_recording(values.flag("record"), output)


def graph(name: str, values: Values) -> Graph:
    """The graph of a series: one process, which runs the graph of each run in turn.

    Args:
        name: Of the graph of a single run.
        values: Completed ones.
    """
    process = NodeDescription(
        package="imove_bringup",
        executable="evaluation_series",
        name="evaluation_series",
        arguments=tuple(f"{argument}:={text}" for argument, text in values.texts().items()),
        required=True,
        output="screen",
    )
    return Graph(name, (process,), log_parent=Path(values.text("output")) / "log")
