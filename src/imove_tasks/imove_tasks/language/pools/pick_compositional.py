"""Ways to ask for an object by an attribute together with where it is."""

SEEN = """
pick up {pick}
grasp {pick}
grab {pick}
take {pick}
lift {pick}
raise {pick}
get hold of {pick}
pick up {pick:that is}
grasp {pick:that is}
grab {pick:that is}
take {pick:that is}
lift {pick:that is}
take hold of {pick:that is}
pick up {pick:which is}
lift {pick:which is}
pick up {pick:located}
grasp {pick:located}
grab {pick:placed}
take {pick:placed}
pick up {pick:lying}
lift {pick:sitting}
take {pick:that you see}
please pick up {pick}
please take {pick:that is}
just grab {pick:that is}
carefully lift {pick}
choose {pick} and pick {it} up
choose {pick:that is} and lift {it}
select {pick} and take {it}
select {pick:that is} and pick {it} up
pick out {pick:that is} and grasp {it}
find {pick} and pick {it} up
find {pick:located} and grab {it}
locate {pick} and lift {it}
locate {pick:that is} and take hold of {it}
look for {pick} then pick {it} up
reach for {pick} and grasp {it}
go ahead and lift {pick:that is}
make sure to pick up {pick:that is}
i want you to take {pick}
i need you to pick up {pick:that is}
your job is to grasp {pick}
use the arm to lift {pick}
"""

UNSEEN = """
single out {pick} and lift {it}
single out {pick:that is} and pick {it} up
identify {pick:situated} and take {it}
spot {pick} and then grasp {it}
retrieve {pick:that is}
fetch {pick}
collect {pick:which is}
seize {pick:resting}
clasp {pick}
collect {pick:standing}
hoist {pick:standing}
scoop up {pick:situated}
approach {pick} and take hold of {it}
head for {pick:that is} and raise {it}
i would like you to grab {pick:located}
the task is to pick up {pick}
"""
