"""The task families as gymnasium environments; importing this package registers them, as is usual there.

`gymnasium.make("imove_gym:imove/pick_category-v0")` imports it by itself. What is registered is names: suites, objects
and simulator are opened when an environment is made.
"""

from imove_gym.registration import register_environments

register_environments()
