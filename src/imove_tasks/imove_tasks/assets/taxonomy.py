"""Domains, super-categories and categories of the benchmark, the nouns for them, and the held-out ones.

Source of the table: InstructMove (arXiv 2608.22990), appendix A.2, Table 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from imove_core.errors import unknown_name

DOMAINS: dict[str, dict[str, tuple[str, ...]]] = {
    "desktop_supplies": {
        "office_stationery": (
            "stapler", "ballpoint_pen", "pen_holder", "glue_stick", "eraser", "correction_tape", "marker",
            "sharpener", "notebook",
        ),
        "office_tools": (
            "scissors", "scotch_tape", "magnifier", "cutter_knife", "stamp", "staples_box", "sticky_notes",
        ),
        "electronic_accessories": (
            "mouse", "tv_remote", "ac_remote", "presenter_clicker", "gamepad", "earbud_case", "charging_head",
            "charging_cable", "usb_drive",
        ),
        "decorations": ("mini_sculpture", "phone_stand", "vase"),
    },
    "kitchen_supplies": {
        "cutting_tools": ("fruit_knife", "peeler", "garlic_press", "wire_cutters"),
        "tableware": ("bowl", "chopsticks", "coaster", "fork", "plate", "spoon", "tray"),
        "ware": ("wine_glass", "mug", "coffee_cup", "thermos", "baby_bottle"),
        "utensils": ("spice_jar", "bottle_opener", "spatula"),
    },
    "bedroom_supplies": {
        "storage": ("storage_box", "jewelry_box", "glasses_case", "pill_organizer", "remote_holder"),
        "small_electronics": ("flashlight", "alarm_clock"),
    },
    "bathroom_supplies": {
        "personal_care": (
            "toothbrush", "toothpaste", "mouthwash_cup", "comb", "razor", "nail_clipper", "dental_floss",
            "hair_clip",
        ),
        "bath_products": (
            "shampoo_bottle", "soap_dish", "lotion", "hand_sanitizer", "sponge", "facial_cleanser",
        ),
    },
    "livingroom_supplies": {
        "ornaments": ("houseplant", "watering_can", "diffuser_bottle", "photo_frame", "candle_holder"),
    },
    "tools": {
        "repair_tools": (
            "screwdriver", "wrench", "hex_key", "measuring_tape", "pliers", "mini_hammer", "glue_gun",
        ),
    },
    "food": {
        "fruits": ("apple", "lemon", "banana", "pear", "strawberry", "peach"),
        "ingredients": ("potato", "tomato", "egg", "bread", "garlic", "carrot", "chili"),
        "beverages": ("juice", "milk_carton", "canned_coke", "beverage_bottle"),
        "snack": ("candy", "chewing_gum", "biscuit", "potato_chips", "chocolate", "cheese_sticks"),
    },
}  # fmt: skip

UNSEEN_CATEGORIES: frozenset[str] = frozenset(
    {"stamp", "earbud_case", "thermos", "flashlight", "lotion", "measuring_tape", "pear", "canned_coke"}
)
"""Categories held out of training, from six of the seven domains; every other one is seen."""

_NOUNS: dict[str, tuple[str, ...]] = {
    "juice": ("juice", "juice box"),
    "canned_coke": ("canned coke", "soda can"),
    "chocolate": ("chocolate", "chocolate bar"),
    "earbud_case": ("earbud case", "earphone case"),
    "charging_head": ("charging head", "wall charger"),
    "flashlight": ("flashlight", "torch"),
    "garlic": ("garlic", "garlic bulb"),
    "lotion": ("lotion", "lotion bottle"),
    "marker": ("marker", "marker pen"),
    "measuring_tape": ("measuring tape", "tape measure"),
    "mini_hammer": ("mini hammer", "small hammer"),
    "mouse": ("mouse", "computer mouse"),
    "scotch_tape": ("scotch tape", "roll of sticky tape"),
    "sharpener": ("sharpener", "pencil sharpener"),
    "sticky_notes": ("sticky notes", "sticky note pad"),
    "stamp": ("stamp", "rubber stamp"),
    "thermos": ("thermos", "vacuum flask"),
    "tv_remote": ("tv remote", "television remote"),
}


@dataclass(frozen=True)
class Category:
    """Where a category stands and what it is called.

    Attributes:
        name: Snake case key.
        domain: Key of ``DOMAINS``.
        super_category: Group inside the domain.
        nouns: Phrases for it, the plain one first; no two categories share one.
        held_out: True when no instance of it may be trained on.
    """

    name: str
    domain: str
    super_category: str
    nouns: tuple[str, ...]
    held_out: bool


CATEGORIES: dict[str, Category] = {
    name: Category(name, domain, group, _NOUNS.get(name, (name.replace("_", " "),)), held_out=name in UNSEEN_CATEGORIES)
    for domain, groups in DOMAINS.items()
    for group, names in groups.items()
    for name in names
}
"""Every category of the table by name, in the table's order."""


def category(name: str) -> Category:
    """Looks a category up.

    Raises:
        ImoveError: No such category.
    """
    if name not in CATEGORIES:
        raise unknown_name("category", name, CATEGORIES)
    return CATEGORIES[name]
