"""The mass of an imported asset: what the source says where that is plausible, else volume times density."""

from __future__ import annotations

from collections.abc import Sequence

from imove_tasks.assets.importing.foreign import Facts
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.model import CollisionPart
from imove_tasks.assets.sizes import SIZE_RANGES
from imove_tasks.assets.taxonomy import Category

# kg per m3 of the closed shape of household goods, which are mostly hollow; round figures from kitchen scales.
_DENSITY_KG_M3 = {
    "plastic": 350.0, "metal": 1500.0, "ceramic": 900.0, "glass": 900.0, "wood": 600.0, "paper": 500.0,
    "rubber": 900.0, "fabric": 200.0, "foam": 60.0, "wax": 900.0, "leather": 500.0, "plant": 400.0, "food": 900.0,
}  # fmt: skip


def mass_of(facts: Facts, parts: Sequence[CollisionPart], material: str, category: Category, journal: Journal) -> float:
    """Mass, kg.

    Args:
        facts: What the source says; its first plausible mass is taken.
        parts: Contact parts; their volumes count where no mass is plausible.
        material: Material word.
        category: Its range of masses is the judge.
        journal: Takes what was not believed.
    """
    light, heavy = SIZE_RANGES[category.name].mass_kg
    for mass in facts.masses_kg:
        if light <= mass <= heavy:
            return round(mass, 5)
    if facts.masses_kg:
        claimed = ", ".join(f"{mass:g}" for mass in facts.masses_kg)
        journal.mislabelled(f"its record says {claimed} kg, expected {light:g} to {heavy:g} kg: computed instead")
    density = facts.density_kg_m3 or _DENSITY_KG_M3[material]
    computed = density * sum(part.volume_m3 for part in parts)
    mass = min(max(computed, light), heavy)
    journal.noted(f"its mass is {mass:.3f} kg, from {density:g} kg/m3 within the range of its category")
    return round(mass, 5)
