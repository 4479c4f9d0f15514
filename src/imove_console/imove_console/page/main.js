// Puts the page together.

import { CalibrationView } from "./calibration.js";
import { Cameras } from "./cameras.js";
import { find, toast } from "./dom.js";
import { Jog } from "./jog.js";
import { Link } from "./link.js";
import { Recordings } from "./recordings.js";
import { RunView } from "./views.js";

const link = new Link({ onState: show, onFrame: (source, image) => cameras.draw(source, image), onLost: () => show(null) });
const cameras = new Cameras(link);
const run = new RunView(link);
const recordings = new Recordings(find("#recordings"));
const calibration = new CalibrationView(find("#calibration"), cameras);
const jog = new Jog(find("#jog"), link);
let view = "run";

function show(state) {
  run.show(state);
  cameras.show(state);
  jog.show(state);
}

function open(name) {
  view = name;
  for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== name;
  for (const button of document.querySelectorAll("nav button")) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  // The same pictures stand beside the jog pad.
  if (name === "jog" || name === "calibration") find(`#${name} .eyes-place`).append(find("#eyes"));
  else find("#run").insertBefore(find("#eyes"), find("#hands"));
  cameras.watch(name !== "recordings");
  if (name === "calibration") calibration.open();
  if (name === "recordings") recordings.open();
  else recordings.close();
  jog.active = name === "jog";
}

for (const button of document.querySelectorAll("nav button")) button.addEventListener("click", () => open(button.dataset.view));

async function stop() {
  const button = find("#stop");
  button.classList.add("pressed");
  const answer = await link.stop();
  button.classList.remove("pressed");
  const note = find("#stop-note");
  note.hidden = answer.ok;
  note.textContent = answer.ok ? "" : answer.message;
  if (answer.ok) toast(answer.message);
}

// On the press, not on the release of the finger.
find("#stop").addEventListener("pointerdown", (event) => { event.preventDefault(); stop(); });
find("#stop").addEventListener("keydown", (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); stop(); } });
addEventListener("keydown", (event) => { if (event.key === "Escape" && !event.repeat) { event.preventDefault(); stop(); } }, { capture: true });
document.addEventListener("visibilitychange", () => cameras.watch(!document.hidden && view !== "recordings"));
