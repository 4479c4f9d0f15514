"""Plausible sizes and masses of each category, for objects made here and for imported ones.

Everyday figures of household goods, wide enough for children's and family sizes. They catch what is off by a
factor (millimetres read as metres, a mass left at 1 kg), not what is merely unusual.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SizeRange:
    """What is plausible for a category.

    Attributes:
        longest_side_m: Least and largest longest side of the upright box, m.
        mass_kg: Least and largest mass, kg.
    """

    longest_side_m: tuple[float, float]
    mass_kg: tuple[float, float]


# Longest side in millimetres, mass in grams.
_ROWS: dict[str, tuple[int, int, int, int]] = {
    "stapler": (60, 200, 40, 500), "ballpoint_pen": (100, 180, 4, 60), "pen_holder": (60, 150, 40, 500),
    "glue_stick": (60, 140, 10, 80), "eraser": (20, 90, 5, 80), "correction_tape": (40, 120, 8, 80),
    "marker": (90, 180, 6, 80), "sharpener": (18, 90, 4, 200), "notebook": (70, 320, 30, 900),
    "scissors": (80, 280, 15, 250), "scotch_tape": (30, 160, 10, 500), "magnifier": (60, 260, 20, 400),
    "cutter_knife": (80, 220, 10, 200), "stamp": (25, 120, 8, 300), "staples_box": (30, 120, 15, 250),
    "sticky_notes": (30, 160, 8, 200), "mouse": (60, 150, 30, 200), "tv_remote": (90, 260, 40, 250),
    "ac_remote": (80, 200, 40, 220), "presenter_clicker": (60, 180, 15, 120), "gamepad": (80, 200, 80, 400),
    "earbud_case": (35, 110, 20, 120), "charging_head": (25, 110, 20, 250), "charging_cable": (40, 200, 8, 150),
    "usb_drive": (15, 100, 3, 60), "mini_sculpture": (40, 260, 20, 900), "phone_stand": (50, 200, 25, 500),
    "vase": (60, 350, 40, 1500),
    "fruit_knife": (120, 300, 15, 200), "peeler": (80, 220, 15, 180), "garlic_press": (90, 220, 50, 450),
    "wire_cutters": (80, 260, 40, 450), "bowl": (60, 280, 60, 900), "chopsticks": (120, 300, 8, 120),
    "coaster": (60, 140, 10, 250), "fork": (90, 240, 8, 120), "plate": (90, 320, 60, 1000),
    "spoon": (80, 260, 8, 120), "tray": (120, 480, 80, 1500), "wine_glass": (80, 260, 50, 350),
    "mug": (60, 150, 80, 500), "coffee_cup": (50, 180, 8, 500), "thermos": (90, 350, 100, 900),
    "baby_bottle": (80, 240, 30, 350), "spice_jar": (40, 160, 30, 400), "bottle_opener": (50, 200, 15, 250),
    "spatula": (120, 380, 15, 300),
    "storage_box": (80, 450, 60, 1500), "jewelry_box": (50, 250, 30, 800), "glasses_case": (110, 200, 30, 250),
    "pill_organizer": (50, 260, 15, 250), "remote_holder": (80, 260, 50, 900), "flashlight": (70, 320, 30, 500),
    "alarm_clock": (45, 220, 50, 600),
    "toothbrush": (120, 230, 6, 150), "toothpaste": (80, 230, 25, 250), "mouthwash_cup": (50, 140, 15, 350),
    "comb": (80, 230, 6, 100), "razor": (80, 180, 6, 250), "nail_clipper": (40, 120, 10, 100),
    "dental_floss": (30, 110, 6, 80), "hair_clip": (30, 150, 4, 80), "shampoo_bottle": (90, 280, 60, 1000),
    "soap_dish": (70, 190, 30, 400), "lotion": (80, 260, 50, 700), "hand_sanitizer": (60, 240, 40, 700),
    "sponge": (50, 180, 4, 100), "facial_cleanser": (80, 230, 40, 350), "houseplant": (60, 400, 50, 1500),
    "watering_can": (80, 350, 60, 900), "diffuser_bottle": (60, 320, 60, 500), "photo_frame": (60, 350, 40, 900),
    "candle_holder": (30, 260, 30, 900),
    "screwdriver": (70, 300, 20, 300), "wrench": (70, 320, 30, 600), "hex_key": (40, 200, 8, 200),
    "measuring_tape": (40, 120, 40, 400), "pliers": (90, 260, 50, 450), "mini_hammer": (90, 300, 60, 600),
    "glue_gun": (100, 240, 60, 450),
    "apple": (45, 110, 60, 350), "lemon": (45, 120, 40, 220), "banana": (110, 240, 60, 260),
    "pear": (60, 140, 80, 350), "strawberry": (18, 70, 5, 70), "peach": (45, 100, 60, 300),
    "potato": (40, 160, 40, 450), "tomato": (30, 110, 30, 350), "egg": (40, 75, 30, 90),
    "bread": (60, 350, 30, 900), "garlic": (30, 85, 15, 120), "carrot": (80, 260, 25, 300),
    "chili": (40, 200, 3, 80), "juice": (70, 260, 60, 1200), "milk_carton": (70, 300, 60, 1200),
    "canned_coke": (80, 190, 15, 600), "beverage_bottle": (110, 350, 15, 1200), "candy": (15, 120, 2, 80),
    "chewing_gum": (30, 130, 5, 120), "biscuit": (30, 260, 5, 400), "potato_chips": (60, 320, 10, 350),
    "chocolate": (30, 240, 10, 350), "cheese_sticks": (60, 220, 10, 300),
}  # fmt: skip

SIZE_RANGES: dict[str, SizeRange] = {
    name: SizeRange((low / 1000, high / 1000), (light / 1000, heavy / 1000))
    for name, (low, high, light, heavy) in _ROWS.items()
}
"""By category name."""
