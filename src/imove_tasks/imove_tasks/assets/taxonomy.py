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

_SYNONYMS: dict[str, str] = {
    "stapler": "desk stapler", "ballpoint_pen": "biro", "pen_holder": "pencil cup", "glue_stick": "stick of glue",
    "eraser": "pencil rubber", "correction_tape": "whiteout tape", "marker": "marker pen",
    "sharpener": "pencil sharpener", "notebook": "notepad", "scissors": "pair of scissors",
    "scotch_tape": "roll of sticky tape", "magnifier": "magnifying glass", "cutter_knife": "box cutter",
    "stamp": "rubber stamp", "staples_box": "box of staples", "sticky_notes": "sticky note pad",
    "mouse": "computer mouse", "tv_remote": "television remote", "ac_remote": "air conditioner remote",
    "presenter_clicker": "slide clicker", "gamepad": "game controller", "earbud_case": "earphone case",
    "charging_head": "wall charger", "charging_cable": "charger cord", "usb_drive": "flash drive",
    "mini_sculpture": "figurine", "phone_stand": "phone rest", "vase": "flower vase", "fruit_knife": "paring knife",
    "peeler": "vegetable peeler", "garlic_press": "garlic crusher", "wire_cutters": "wire snips",
    "bowl": "eating bowl", "chopsticks": "pair of chopsticks", "coaster": "drink mat", "fork": "table fork",
    "plate": "dinner plate", "spoon": "table spoon", "tray": "serving tray", "wine_glass": "wine goblet",
    "mug": "drinking mug", "coffee_cup": "cup for coffee", "thermos": "vacuum flask", "baby_bottle": "feeding bottle",
    "spice_jar": "jar of spice", "bottle_opener": "crown cap opener", "spatula": "kitchen turner",
    "storage_box": "storage bin", "jewelry_box": "trinket box", "glasses_case": "spectacle case",
    "pill_organizer": "pill box", "remote_holder": "remote control caddy", "flashlight": "torch",
    "alarm_clock": "bedside clock", "toothbrush": "dental brush", "toothpaste": "tube of toothpaste",
    "mouthwash_cup": "rinsing cup", "comb": "hair comb", "razor": "shaver", "nail_clipper": "nail cutter",
    "dental_floss": "box of floss", "hair_clip": "hair clasp", "shampoo_bottle": "bottle of shampoo",
    "soap_dish": "soap holder", "lotion": "lotion bottle", "hand_sanitizer": "hand gel", "sponge": "scrubbing sponge",
    "facial_cleanser": "face wash", "houseplant": "potted plant", "watering_can": "can for watering",
    "diffuser_bottle": "reed diffuser", "photo_frame": "picture frame", "candle_holder": "candlestick",
    "screwdriver": "tool for screws", "wrench": "spanner", "hex_key": "allen key", "measuring_tape": "tape measure",
    "pliers": "pair of pliers", "mini_hammer": "small hammer", "glue_gun": "hot glue gun", "apple": "apple fruit",
    "lemon": "lemon fruit", "banana": "banana fruit", "pear": "pear fruit", "strawberry": "strawberry fruit",
    "peach": "peach fruit", "potato": "spud", "tomato": "tomato fruit", "egg": "hen egg", "bread": "loaf of bread",
    "garlic": "garlic bulb", "carrot": "carrot root", "chili": "chili pepper", "juice": "juice box",
    "milk_carton": "carton of milk", "canned_coke": "soda can", "beverage_bottle": "bottle of soft drink",
    "candy": "sweet", "chewing_gum": "pack of gum", "biscuit": "cookie", "potato_chips": "bag of crisps",
    "chocolate": "chocolate bar", "cheese_sticks": "string cheese",
}  # fmt: skip
"""Another noun for each category, kept for tests of language."""

DESTINATIONS: frozenset[str] = frozenset(
    {
        "bowl", "plate", "tray", "coaster", "storage_box", "jewelry_box", "glasses_case", "pill_organizer",
        "remote_holder", "soap_dish", "pen_holder", "mug", "coffee_cup", "mouthwash_cup", "candle_holder",
        "phone_stand", "staples_box", "notebook", "wine_glass", "vase",
    }
)  # fmt: skip
"""The 20 categories on or in which other things can be put."""


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
    name: Category(name, domain, group, (name.replace("_", " "), _SYNONYMS[name]), held_out=name in UNSEEN_CATEGORIES)
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
