"""One builder a category, one module a super-category, and the table of them all.

A new category is one function `Draw -> Draft` in the module of its super-category and one line in that
module's `BUILDERS`; the tests of the package then check it like every other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from imove_tasks.assets.builders import (
    bath_products,
    beverages,
    cases,
    cutlery,
    cutting_tools,
    decorations,
    electronic_accessories,
    electronic_power,
    flasks,
    fruits,
    grooming,
    houseplants,
    ingredients,
    office_cutting,
    office_stationery,
    office_tools,
    office_writing,
    ornaments,
    packets,
    pantry,
    personal_care,
    repair_tools,
    small_electronics,
    snack,
    storage,
    tableware,
    utensils,
    ware,
    washing,
    workshop_tools,
)
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw

Builder = Callable[[Draw], Draft]

_MODULES = (
    office_stationery, office_writing, office_tools, office_cutting, electronic_accessories, electronic_power,
    decorations,
    cutting_tools, tableware, cutlery, ware, flasks, utensils, storage, cases, small_electronics,
    bath_products, ornaments, houseplants, repair_tools, fruits, ingredients, beverages, snack, personal_care,
    grooming, washing, workshop_tools, pantry, packets,
)  # fmt: skip

BUILDERS: Mapping[str, Builder] = MappingProxyType(
    {name: builder for module in _MODULES for name, builder in module.BUILDERS.items()}
)
"""Builder of every category that can be generated, by category name."""
