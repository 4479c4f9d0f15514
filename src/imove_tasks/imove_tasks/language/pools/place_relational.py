"""Ways to ask for an object to be put somewhere seen from another one."""

SEEN = """
pick up {pick} and place {it} {relation} {place}
pick up {pick} and put {it} {relation} {place}
pick up {pick} and set {it} {relation} {place}
pick up {pick} and put {it} down {relation} {place}
pick up {pick} and set {it} down {relation} {place}
pick up {pick} and lay {it} {relation} {place}
pick up {pick} and leave {it} {relation} {place}
pick up {pick} and move {it} {relation} {place}
pick up {pick} then place {it} {relation} {place}
pick up {pick} then put {it} {relation} {place}
pick up {pick} and then set {it} down {relation} {place}
pick {pick} up and place {it} {relation} {place}
pick {pick} up and put {it} {relation} {place}
pick {pick} up and set {it} down {relation} {place}
grab {pick} and place {it} {relation} {place}
grab {pick} and put {it} {relation} {place}
grab {pick} and put {it} down {relation} {place}
grab {pick} and leave {it} {relation} {place}
grasp {pick} and place {it} {relation} {place}
grasp {pick} and set {it} {relation} {place}
grasp {pick} and put {it} down {relation} {place}
grasp {pick} then move {it} {relation} {place}
take {pick} and place {it} {relation} {place}
take {pick} and put {it} {relation} {place}
take {pick} and lay {it} down {relation} {place}
take {pick} and set {it} down {relation} {place}
lift {pick} and place {it} {relation} {place}
lift {pick} and put {it} down {relation} {place}
lift {pick} and set {it} {relation} {place}
lift {pick} up and put {it} {relation} {place}
lift {pick} off the table and place {it} {relation} {place}
get hold of {pick} and place {it} {relation} {place}
take hold of {pick} and put {it} {relation} {place}
get {pick} and set {it} {relation} {place}
put {pick} {relation} {place}
put {pick} down {relation} {place}
place {pick} {relation} {place}
set {pick} {relation} {place}
set {pick} down {relation} {place}
move {pick} {relation} {place}
lay {pick} {relation} {place}
bring {pick} {relation} {place}
please put {pick} {relation} {place}
please move {pick} {relation} {place}
please pick up {pick} and place {it} {relation} {place}
please take {pick} and set {it} down {relation} {place}
go ahead and put {pick} {relation} {place}
go ahead and pick up {pick} and set {it} {relation} {place}
carefully pick up {pick} and gently place {it} {relation} {place}
gently put {pick} {relation} {place}
slowly move {pick} {relation} {place}
find {pick} and put {it} {relation} {place}
find {pick} and pick {it} up and place {it} {relation} {place}
locate {pick} and move {it} {relation} {place}
locate {pick} and set {it} down {relation} {place}
reach for {pick} and pick {it} up then put {it} {relation} {place}
find {place} and put {pick} {relation} {place_it}
locate {place} and place {pick} {relation} {place_it}
look for {place} and set {pick} down {relation} {place_it}
after picking up {pick} place {it} {relation} {place}
after grasping {pick} put {it} down {relation} {place}
pick up {pick} before placing {it} {relation} {place}
grab {pick} before setting {it} down {relation} {place}
pick up {pick} to put {it} {relation} {place}
pick up {pick} so that you can place {it} {relation} {place}
i want you to put {pick} {relation} {place}
i need you to pick up {pick} and place {it} {relation} {place}
your task is to place {pick} {relation} {place}
your job is to move {pick} {relation} {place}
try to put {pick} {relation} {place}
use your gripper to put {pick} {relation} {place}
use the arm to pick up {pick} and set {it} {relation} {place}
"""

UNSEEN = """
collect {pick} and deposit {it} {relation} {place}
retrieve {pick} and rest {it} {relation} {place}
fetch {pick} and drop {it} off {relation} {place}
seize {pick} and release {it} {relation} {place}
scoop up {pick} and lay {it} down {relation} {place}
grip {pick} and lower {it} {relation} {place} and open the gripper
raise {pick} and position {it} {relation} {place}
clasp {pick} and shift {it} {relation} {place}
deposit {pick} {relation} {place}
shift {pick} {relation} {place}
position {pick} {relation} {place}
transfer {pick} {relation} {place}
have {pick} end up {relation} {place}
let {pick} end up {relation} {place}
spot {place} and leave {pick} {relation} {place_it}
go over to {pick} and grasp {it} and next set {it} down {relation} {place}
identify {pick} and bring {it} {relation} {place}
after lifting {pick} lay {it} {relation} {place}
after grabbing {pick} put {it} {relation} {place}
take {pick} before putting {it} down {relation} {place}
lift {pick} before laying {it} {relation} {place}
grasp {pick} in order to set {it} {relation} {place}
i would like you to place {pick} {relation} {place}
the goal is to have {pick} end up {relation} {place}
the next step is to put {pick} {relation} {place}
"""
