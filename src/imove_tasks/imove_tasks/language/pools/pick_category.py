"""Ways to ask for an object of a category."""

SEEN = """
pick up {pick}
grasp {pick}
grab {pick}
take {pick}
lift {pick}
pick {pick} up
lift up {pick}
lift {pick} up
get hold of {pick}
take hold of {pick}
grab hold of {pick}
pick up {pick} from the table
take {pick} from the table
grab {pick} from the tabletop
take {pick} off the table
lift {pick} off the table
raise {pick} off the table
lift {pick} off the surface
please pick up {pick}
please grasp {pick}
please take {pick} off the table
get {pick} for me
pick up {pick} for me please
go ahead and pick up {pick}
go ahead and grab {pick}
carefully pick up {pick}
gently lift {pick}
slowly raise {pick}
find {pick} and pick {it} up
locate {pick} and lift {it}
reach for {pick} and lift {it} up
reach over to {pick} then pick {it} up
go to {pick} and grasp {it}
move to {pick} and pick {it} up
close the gripper around {pick} and raise {it}
use the gripper to pick up {pick}
use your gripper to grab {pick}
grab {pick} with your gripper
try to pick up {pick}
i want you to pick up {pick}
i need you to take {pick}
your task is to pick up {pick}
"""

UNSEEN = """
collect {pick} from the table
retrieve {pick}
seize {pick}
fetch {pick} for me
remove {pick} from the table
hoist {pick} into the air
scoop up {pick}
catch hold of {pick}
reach out and grab {pick}
look for {pick} and take hold of {it}
approach {pick} and grip {it}
head for {pick} and get a grip on {it}
spot {pick} and then pick {it} up
close the gripper on {pick} and hoist {it} into the air
i would like you to grasp {pick}
now lift {pick} with the gripper
the goal is to lift {pick}
"""
