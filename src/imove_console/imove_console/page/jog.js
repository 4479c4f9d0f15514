// Moves the tool of an arm by buttons, keys or a space mouse; commands go out only while something is held.

import { fill, find, icon, make, words } from "./dom.js";

const PERIOD_MS = 50;
const DEAD_ZONE = 0.12;
// Largest speeds, m/s and rad/s.
const FASTEST = { linear: 0.25, angular: 1.0, gripper: 0.1 };
// Held key or button: [vector, axis, direction]. World frame: x away from the robot, y to its left, z up.
const MOVES = {
  w: ["linear", 0, 1], s: ["linear", 0, -1], a: ["linear", 1, 1], d: ["linear", 1, -1], r: ["linear", 2, 1], f: ["linear", 2, -1],
  i: ["angular", 1, 1], k: ["angular", 1, -1], j: ["angular", 0, -1], l: ["angular", 0, 1], u: ["angular", 2, 1], o: ["angular", 2, -1],
  g: ["gripper", 0, 1], h: ["gripper", 0, -1],
};
const PADS = [
  ["Move", [["w", "away"], ["s", "near"], ["a", "left"], ["d", "right"], ["r", "up"], ["f", "down"]]],
  ["Turn", [["i", "pitch +"], ["k", "pitch −"], ["j", "roll −"], ["l", "roll +"], ["u", "yaw +"], ["o", "yaw −"]]],
  ["Gripper", [["g", "open"], ["h", "close"]]],
];
// A space mouse as a gamepad: x right, y towards the person, z down; the same about the axes.
const SPACE_MOUSE = [["linear", 1, -1], ["linear", 0, -1], ["linear", 2, -1], ["angular", 1, -1], ["angular", 0, -1], ["angular", 2, -1]];

export class Jog {
  constructor(holder, link) {
    this.link = link;
    this.held = new Set();
    this.active = false;
    this.moving = false;
    this.allowed = false;
    this.speed = make("input", { type: "range", min: "0.05", max: "1", step: "0.05", value: "0.3", "aria-label": "Speed" });
    this.arms = make("div", { class: "segments", role: "group", "aria-label": "Arm" });
    this.note = make("p", { class: "empty" });
    this.pads = make("div", { class: "pads" }, PADS.map(([title, keys]) => make("div", { class: `pad ${title.toLowerCase()}` }, make("h3", {}, title), keys.map((key) => this.key(...key)))));
    this.picture = make("div", { class: "eyes-place" });
    holder.append(make("div", { class: "columns" }, make("div", { class: "card" }, make("h2", {}, "Jog the simulated rig", make("small", {}, "by buttons, keys or a space mouse")), this.note,
      make("div", { class: "row" }, this.arms, make("label", {}, "Speed", this.speed)), this.pads), this.picture));
    addEventListener("keydown", (event) => this.press(event, true));
    addEventListener("keyup", (event) => this.press(event, false));
    for (const type of ["blur", "pagehide"]) addEventListener(type, () => this.held.clear());
    setInterval(() => this.tick(), PERIOD_MS);
  }

  key(letter, label) {
    const button = make("button", { class: "jog", "data-key": letter }, make("b", {}, label), make("kbd", {}, letter.toUpperCase()));
    button.addEventListener("pointerdown", (event) => { event.preventDefault(); button.setPointerCapture(event.pointerId); this.held.add(letter); });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(type, () => this.held.delete(letter));
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    return button;
  }

  show(state) {
    this.allowed = Boolean(state?.teleop?.commands.includes("jog"));
    const reason = !state ? "The console is lost." : !state.teleop ? "No teleoperation is running: start teleop.launch.py with sim:=true." : `Not taken while ${words(state.teleop.phase)}.`;
    this.note.textContent = this.allowed ? "" : reason;
    const names = (state?.arms ?? []).map((part) => part.name);
    if (!names.includes(this.arm) && names.length) [this.arm] = names;
    fill(this.arms, [names, this.arm], () => names.map((name) => make("button", { "aria-pressed": String(name === this.arm), onclick: () => { this.arm = name; this.show(state); } }, words(name))));
    for (const button of this.pads.querySelectorAll("button")) button.disabled = !this.allowed;
    if (!this.allowed) this.held.clear();
  }

  press(event, down) {
    const letter = event.key.toLowerCase();
    const typing = /^(input|select|textarea)$/i.test(event.target.tagName ?? "") && event.target.type !== "range";
    if (!this.active || !(letter in MOVES) || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    event.preventDefault();
    if (down) this.held.add(letter);
    else this.held.delete(letter);
  }

  tick() {
    for (const button of this.pads.querySelectorAll("button")) button.classList.toggle("held", this.held.has(button.dataset.key));
    if (!this.active || !this.allowed) { this.moving = false; return; }
    const wish = { linear: [0, 0, 0], angular: [0, 0, 0], gripper: [0] };
    for (const letter of this.held) add(wish, MOVES[letter], 1);
    const axes = navigator.getGamepads?.().find((pad) => pad && pad.axes.length >= 6)?.axes ?? [];
    SPACE_MOUSE.forEach((move, index) => { if (Math.abs(axes[index] ?? 0) > DEAD_ZONE) add(wish, move, axes[index]); });
    const share = Number(this.speed.value);
    const speeds = (name) => wish[name].map((value) => Math.max(-1, Math.min(1, value)) * share * FASTEST[name]);
    const twist = [...speeds("linear"), ...speeds("angular")];
    const [gripper] = speeds("gripper");
    const moves = [...twist, gripper].some((value) => value !== 0);
    // One last command says that nothing is held any more.
    if (moves || this.moving) this.link.repeat("teleop", "jog", { arm: this.arm, twist, gripper, frame: "world" });
    this.moving = moves;
  }
}

function add(wish, [name, axis, direction], amount) {
  wish[name][axis] += direction * amount;
}
