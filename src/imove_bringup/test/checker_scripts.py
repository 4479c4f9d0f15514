"""Scripts that the checkers must judge: what of them is true, and what physics makes of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from imove_core.meaning import Description, Destination, Meaning
from imove_core.randomization import PLAIN
from imove_core.spec import CONDITIONS, EpisodeSpec, Instruction
from imove_core.transforms import transform
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.scene_objects import scene_object

from .checker_motions import (
    HOME,
    HOME_XY,
    OTHER,
    OTHER_HOME,
    OTHER_HOME_XY,
    OTHER_XY,
    PICK,
    PICK_XY,
    balances_it_on_the_rim,
    brings_it_and_puts_it_beside,
    carries_the_bowl_off,
    drops_it_in,
    grasps_only,
    holds_it_beside,
    holds_it_in_the_bowl,
    hovers,
    is_flung_up,
    leans_it_on_the_rim,
    lifts_a_little,
    lifts_it_with_another_on_top,
    lifts_the_container_with_it,
    loses_it_on_the_way,
    other_arm_reaches_first,
    passes_by,
    pinches_two,
    places_it,
    places_it_with_the_other_arm,
    pushes_it,
    pushes_it_out,
    puts_another_in,
    puts_it_beside,
    puts_it_into_another,
    slips_away,
    throws_it_in,
    throws_it_past,
    topples_the_container,
    waits_above_it,
)
from .checker_robot import ScriptedRobot

REACH, LIFT, REACH_PLACE, PLACE = range(1, 5)
"""How many of the four stages are true."""


@dataclass(frozen=True)
class Script:
    """A scripted episode.

    Attributes:
        act: What happens. It asserts that physics did what the script is about.
        strict: How many stages of the chain are true of the instructed object.
        reference: How many the reference rubric grants.
        objects: Categories by object id, of the first asset of each; `name/2` is the third.
        relation: Of the instruction.
        events: Strict events of other objects or destinations: (stage, object, destination).
        places: Where objects stand at first, when elsewhere.
    """

    act: Callable[[ScriptedRobot], None]
    strict: int
    reference: int
    objects: Mapping[str, str] = field(default_factory=dict)
    relation: str = "in"
    events: frozenset[tuple[str, str, str]] = frozenset()
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)


OBJECTS = {PICK: "spice_jar", OTHER: "tomato", HOME: "bowl/1", OTHER_HOME: "plate"}
PLACES = {PICK: PICK_XY, OTHER: OTHER_XY, HOME: HOME_XY, OTHER_HOME: OTHER_HOME_XY}
ROLES = {PICK: "target", OTHER: "distractor", HOME: "destination", OTHER_HOME: "other_destination"}


def spec_of(script: Script, name: str, library: AssetLibrary) -> EpisodeSpec:
    """The episode of a script: its objects stand upright at their places."""
    objects = []
    for object_id, category in {**OBJECTS, **script.objects}.items():
        kind, _, number = category.partition("/")
        asset = library.in_category(kind)[int(number or 0)]
        stable = asset.stable_poses[0]
        x, y = {**PLACES, **script.places}[object_id]
        pose = transform(stable.rotation, (x, y, stable.height_m + 0.0005))
        objects.append(scene_object(object_id, asset, ROLES[object_id], pose))
    labels = {item.id: Description(fields={"category": item.labels["category"]}) for item in objects}
    place = Destination(relation=script.relation, reference=labels[HOME])
    told = Instruction(
        text="put it there",
        raw_text="put it there",
        meaning=Meaning(pick=labels[PICK], place=place),
        target=PICK,
        destination=HOME,
    )
    return EpisodeSpec(
        schema_version=2,
        id=f"checkers/{name}",
        family="checkers",
        split="checkers",
        primitive="pick_and_place",
        rig="piperx_dual",
        seed=0,
        objects=tuple(objects),
        instructions={condition: told for condition in CONDITIONS},
        randomization=PLAIN,
    )


SHAPES = ("spice_jar", "strawberry", "egg", "eraser")
TRUE_SCRIPTS = {
    **{f"places a {name} in a bowl": Script(places_it, PLACE, PLACE, {PICK: name}) for name in SHAPES},
    **{
        f"places a {name} on a {home}": Script(places_it, PLACE, PLACE, {PICK: name, HOME: home})
        for name, home in (("eraser", "plate"), ("biscuit", "tray"), ("spice_jar", "coaster"), ("glue_stick", "plate"))
    },
    "places a strawberry in a box": Script(places_it, PLACE, PLACE, {PICK: "strawberry", HOME: "storage_box/2"}),
    "drops it into the bowl from above": Script(drops_it_in, PLACE, PLACE),
    "the other arm does it": Script(
        places_it_with_the_other_arm, PLACE, PLACE,
        places={PICK: (0.27, -0.08), OTHER: (0.26, 0.36), HOME: (0.29, 0.04)},
    ),
    "the other arm takes over": Script(
        other_arm_reaches_first, PLACE, PLACE,
        places={PICK: (0.24, 0.02), OTHER: (0.26, 0.36), HOME: (0.30, -0.17), OTHER_HOME: (0.34, 0.20)},
    ),
    "places it on a plate, and pushes it out later": Script(
        pushes_it_out, PLACE, PLACE, {PICK: "eraser", HOME: "plate"}
    ),
    "puts it beside the reference object": Script(
        puts_it_beside, PLACE, PLACE, {HOME: "plate", OTHER_HOME: "tray"}, "left_of",
        places={PICK: (0.24, 0.0), OTHER: OTHER_XY, HOME: (0.30, 0.17)},
    ),
}  # fmt: skip

CLOSE = {PICK: (0.26, 0.36), OTHER: (0.30, 0.47)}
FALSE_SCRIPTS = {
    "passes by": Script(passes_by, 0, 0),
    "waits above it": Script(waits_above_it, 0, REACH, {PICK: "eraser"}),
    "grasps it and lets it go": Script(grasps_only, REACH, REACH),
    "pushes it": Script(pushes_it, REACH, REACH),
    "lifts it too little": Script(lifts_a_little, REACH, REACH),
    "it flies up by itself": Script(is_flung_up, REACH, LIFT),
    "lifts it with another on top": Script(
        lifts_it_with_another_on_top, REACH, LIFT, {PICK: "chocolate", OTHER: "eraser"}, places=CLOSE
    ),
    "pinches two": Script(pinches_two, REACH, LIFT, {PICK: "eraser", OTHER: "eraser/1"}, places=CLOSE),
    "lifts the box that it lies in": Script(
        lifts_the_container_with_it, 0, REACH_PLACE, {PICK: "strawberry", HOME: "storage_box"}
    ),
    "loses it on the way": Script(loses_it_on_the_way, LIFT, LIFT),
    "throws it in": Script(throws_it_in, LIFT, PLACE),
    "throws it over": Script(throws_it_past, LIFT, PLACE),
    "puts it into another container": Script(
        puts_it_into_another, LIFT, LIFT, events=frozenset({("place", PICK, OTHER_HOME)}),
        places={OTHER_HOME: (0.24, 0.22), HOME: (0.30, -0.17), OTHER: (0.30, -0.30)},
    ),
    "puts another in": Script(puts_another_in, 0, 0, events=frozenset({("lift", OTHER, ""), ("place", OTHER, HOME)})),
    "holds it above": Script(hovers, REACH_PLACE, REACH_PLACE),
    "holds it in the bowl": Script(holds_it_in_the_bowl, REACH_PLACE, REACH_PLACE),
    "brings it and puts it beside": Script(brings_it_and_puts_it_beside, REACH_PLACE, REACH_PLACE),
    "it slips away": Script(slips_away, REACH_PLACE, REACH_PLACE, {PICK: "eraser", HOME: "plate"}),
    "balances it on the rim": Script(balances_it_on_the_rim, REACH_PLACE, PLACE, {PICK: "chopsticks"}),
    "leans it on the rim": Script(leans_it_on_the_rim, REACH_PLACE, PLACE, {PICK: "chopsticks"}),
    "topples the container": Script(
        topples_the_container, REACH_PLACE, PLACE, {PICK: "strawberry", HOME: "storage_box/2"}
    ),
    "carries the bowl off": Script(carries_the_bowl_off, REACH_PLACE, PLACE, {PICK: "strawberry"}),
    "holds it beside the reference object": Script(
        holds_it_beside, REACH_PLACE, REACH_PLACE, {HOME: "plate", OTHER_HOME: "tray"}, "right_of"
    ),
}  # fmt: skip
SCRIPTS = {**TRUE_SCRIPTS, **FALSE_SCRIPTS}
