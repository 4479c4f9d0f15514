"""Ways to ask for one of several objects of a category by an attribute."""

SEEN = """
pick up {pick}
grasp {pick}
grab {pick}
take {pick}
lift {pick}
raise {pick}
pick {pick} up
lift {pick} up
get hold of {pick}
take hold of {pick}
choose {pick} and pick {it} up
choose {pick} and lift {it}
select {pick} and pick {it} up
select {pick} and grasp {it}
find {pick} and pick {it} up
find {pick} and take {it}
locate {pick} and grab {it}
pick out {pick} and lift {it}
pick out {pick} and take {it} off the table
look for {pick} and pick {it} up
reach for {pick} and take hold of {it}
go to {pick} and lift {it} up
take {pick} off the table
lift {pick} from the table
please pick up {pick}
please choose {pick} and pick {it} up
please lift {pick}
just pick up {pick}
just take {pick}
carefully lift {pick}
go ahead and take {pick}
make sure to pick up {pick}
be sure to take {pick}
i want you to lift {pick}
i need you to pick up {pick}
your job is to pick up {pick}
use the gripper to lift {pick}
use the arm to pick up {pick}
"""

UNSEEN = """
single out {pick} and pick {it} up
single out {pick} and raise {it} off the table
identify {pick} and lift {it}
identify {pick} then grab hold of {it}
spot {pick} and collect {it}
select {pick} and then hoist {it} into the air
retrieve {pick}
fetch {pick}
seize {pick}
clasp {pick}
collect {pick} for me
close the gripper on {pick} and lift {it} up
i would like you to take {pick}
the task is to grasp {pick}
now get hold of {pick}
kindly pick up {pick}
"""
