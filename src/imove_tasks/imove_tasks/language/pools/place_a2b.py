"""Ways to ask for an object to be put in or on a container."""

SEEN = """
pick up {pick} and place {it} {in} {place}
pick up {pick} and put {it} {in} {place}
pick up {pick} and put {it} {into} {place}
pick up {pick} and set {it} {inside} {place}
pick up {pick} and drop {it} {into} {place}
pick up {pick} and lay {it} {in} {place}
pick up {pick} and leave {it} {in} {place}
pick up {pick} and move {it} {into} {place}
pick up {pick} then place {it} {in} {place}
pick up {pick} and then put {it} {into} {place}
pick {pick} up and place {it} {inside} {place}
pick {pick} up and put {it} {in} {place}
pick {pick} up and set {it} down {in} {place}
grab {pick} and place {it} {in} {place}
grab {pick} and put {it} {inside} {place}
grab {pick} and drop {it} {into} {place}
grab {pick} and set {it} {in} {place}
grasp {pick} and place {it} {inside} {place}
grasp {pick} and set {it} {inside} {place}
grasp {pick} and put {it} {into} {place}
grasp {pick} and move {it} {into} {place}
take {pick} and put {it} {in} {place}
take {pick} and place {it} {inside} {place}
take {pick} and lay {it} {in} {place}
take {pick} and set {it} down {inside} {place}
take {pick} from the table and put {it} {in} {place}
take {pick} off the table and place {it} {into} {place}
lift {pick} and drop {it} {into} {place}
lift {pick} and place {it} {in} {place}
lift {pick} and lower {it} {into} {place}
lift {pick} up and put {it} {inside} {place}
lift {pick} off the table and set {it} {in} {place}
get hold of {pick} and place {it} {in} {place}
take hold of {pick} and put {it} {into} {place}
get {pick} and put {it} {in} {place}
put {pick} {in} {place}
put {pick} {into} {place}
put {pick} {inside} {place}
put {pick} down {in} {place}
place {pick} {in} {place}
place {pick} {inside} {place}
set {pick} {inside} {place}
set {pick} down {in} {place}
move {pick} {into} {place}
transfer {pick} {into} {place}
drop {pick} {into} {place}
lay {pick} {in} {place}
please put {pick} {in} {place}
please place {pick} {into} {place}
please pick up {pick} and place {it} {in} {place}
please take {pick} and set {it} {inside} {place}
go ahead and put {pick} {into} {place}
go ahead and pick up {pick} and drop {it} {into} {place}
carefully pick up {pick} and gently place {it} {in} {place}
gently put {pick} {in} {place}
find {pick} and put {it} {in} {place}
find {pick} and pick {it} up and place {it} {in} {place}
locate {pick} and move {it} {into} {place}
reach for {pick} and pick {it} up then put {it} {in} {place}
find {place} and put {pick} {in} {place_it}
locate {place} and place {pick} {inside} {place_it}
after picking up {pick} place {it} {in} {place}
after grasping {pick} put {it} {into} {place}
pick up {pick} before placing {it} {in} {place}
grab {pick} before putting {it} {into} {place}
pick up {pick} to put {it} {in} {place}
pick up {pick} so that you can place {it} {in} {place}
i want you to put {pick} {in} {place}
i need you to pick up {pick} and place {it} {inside} {place}
your task is to place {pick} {in} {place}
your job is to move {pick} {into} {place}
try to place {pick} {in} {place}
use your gripper to put {pick} {in} {place}
use the gripper to pick up {pick} and drop {it} {into} {place}
"""

UNSEEN = """
collect {pick} and deposit {it} {in} {place}
collect {pick} from the table and put {it} {inside} {place}
retrieve {pick} and rest {it} {in} {place}
fetch {pick} and drop {it} off {in} {place}
seize {pick} and release {it} {into} {place}
scoop up {pick} and drop {it} {into} {place}
grip {pick} and lower {it} {into} {place} and let go
remove {pick} from the table and leave {it} {inside} {place}
raise {pick} and position {it} {in} {place}
deposit {pick} {in} {place}
shift {pick} {into} {place}
position {pick} {inside} {place}
have {pick} end up {in} {place}
let {pick} end up {inside} {place}
look for {place} and deposit {pick} {in} {place_it}
go over to {pick} and grasp {it} and after that put {it} {in} {place}
identify {pick} and transfer {it} {into} {place}
after collecting {pick} deposit {it} {in} {place}
after taking hold of {pick} lower {it} {into} {place}
lift {pick} before dropping {it} {into} {place}
grasp {pick} in order to set {it} {inside} {place}
i would like you to place {pick} {in} {place}
the goal is to have {pick} end up {in} {place}
the next step is to put {pick} {in} {place}
"""
