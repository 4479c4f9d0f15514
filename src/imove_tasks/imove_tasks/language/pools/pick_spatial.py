"""Ways to ask for an object by where it is."""

SEEN = """
pick up {pick}
grasp {pick}
grab {pick}
take {pick}
lift {pick}
get hold of {pick}
take hold of {pick}
pick up {pick:that is}
grasp {pick:that is}
grab {pick:that is}
take {pick:that is}
lift {pick:that is}
lift up {pick:that is}
pick up {pick:which is}
grab {pick:which is}
pick up {pick:located}
take {pick:located}
lift {pick:located}
pick up {pick:sitting}
grab {pick:sitting}
take {pick:lying}
grasp {pick:lying}
lift {pick:placed}
pick up {pick:positioned}
pick up {pick:that you see}
take {pick:that you find}
please pick up {pick}
please grab {pick:that is}
please lift {pick:located}
go ahead and take {pick}
carefully pick up {pick:that is}
gently lift {pick}
find {pick} and pick {it} up
find {pick:that is} and lift {it}
locate {pick} and grasp {it}
look for {pick} and take {it}
reach for {pick} and pick {it} up
go to {pick} and grab {it}
move to {pick:that is} and pick {it} up
i want you to pick up {pick}
i need you to grasp {pick:that is}
your task is to lift {pick}
use the gripper to pick up {pick:that is}
"""

UNSEEN = """
retrieve {pick}
fetch {pick:that is}
collect {pick:situated}
pick up {pick:resting}
take hold of {pick:standing}
seize {pick:which is}
hoist {pick:located}
scoop up {pick:that you see}
identify {pick} and raise {it}
spot {pick:that is} and pick {it} up
head for {pick} and then grab {it}
approach {pick:positioned} and get hold of {it}
close the gripper around {pick} and lift {it} up
i would like you to lift {pick:that is}
the goal is to pick up {pick}
now take {pick:lying}
"""
