"""All ways in which the pool of a family can say one goal of a scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from imove_core.errors import ImoveError
from imove_core.meaning import Meaning
from imove_core.spec import EpisodeSpec, Instruction
from imove_tasks.assets.model import Asset, Partition
from imove_tasks.grounding import Grounded, ground, things_of
from imove_tasks.language.pools import get_pool
from imove_tasks.language.speaker import Speaker
from imove_tasks.language.wording import Wording
from imove_tasks.seeds import generator


def paraphrases(
    spec: EpisodeSpec, instruction: Instruction, assets: Mapping[str, Asset], partition: Partition
) -> tuple[str, ...]:
    """Texts that are about exactly what an instruction is about: one for each template of the family's pool.

    Args:
        spec: Of the episode.
        instruction: One of its own; without a meaning it has no paraphrase.
        assets: The objects' assets by object id.
        partition: Of templates, expressions and all other words; those of `unseen` are not to be trained on.

    Returns:
        Different texts in the order of the templates, the same ones for the same spec; a template in which the goal
        cannot be said without doubt is left out.

    Raises:
        ImoveError: The family has no pool.
    """
    if instruction.meaning is None:
        return ()
    things = things_of(spec.objects)
    wanted = Grounded(instruction.target, instruction.destination)
    pool = get_pool(spec.family)
    found: dict[str, None] = {}
    for number, template in enumerate(pool.of_partition(partition)):
        rng = generator(spec.seed, "paraphrase", partition, number)
        speaker = Speaker(assets, Wording(template, partition, int(rng.integers(1 << 16)), pool.only_what_is_asked))
        for meaning in _meanings(instruction.meaning):
            try:
                said = speaker.say(meaning, instruction.target, instruction.destination, rng)
            except ImoveError:
                continue
            if ground(said.meaning, things) == wanted:
                found[said.text] = None
                break
    return tuple(found)


def _meanings(meaning: Meaning) -> Iterator[Meaning]:
    """What is meant, and the same with fewer words for the objects: not all expressions say all of them."""
    yield meaning
    pick, place = meaning.pick, meaning.place
    plain = {name: word for name, word in pick.fields.items() if name == "category"}
    if plain and plain != pick.fields:
        meaning = meaning.model_copy(update={"pick": pick.model_copy(update={"fields": plain})})
        yield meaning
    if place is not None and set(place.reference.fields) > {"category"}:
        plain = {"category": place.reference.fields["category"]}
        reference = place.reference.model_copy(update={"fields": plain})
        yield meaning.model_copy(update={"place": place.model_copy(update={"reference": reference})})
