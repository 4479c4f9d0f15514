// What the page shows of a state. Without one, everything is lost.

import { fill, find, icon, make, onHold, seconds, size, toast, words } from "./dom.js";

const LABELS = { start: "Start", stop: "Stop", success: "Success", fail: "Fail", accept: "Keep", discard: "Discard", redo: "Redo", pause: "Pause", resume: "Resume", home: "Home" };
const STAGES = [["reach", "Reach"], ["lift", "Lift"], ["reach_place", "Over place"], ["place", "Place"]];
const PHASE_LEVEL = { running: "ok", ready: "ok", stopped: "error", holding: "warn", paused: "warn", asking: "warn" };
const LEVEL_WORDS = { ok: "OK", warn: "WARNING", error: "ERROR", lost: "LOST", absent: "NONE" };
const LOST_STATE = {
  rig: "", simulated: false, stop: { on: false, held_here: false }, instruction: null, episode: null, stages: [], trial: null,
  teleop: null, tracker: null, recorder: null, sources: {}, arms: [], cameras: [], nodes: [], buttons: [], disk: null, log: [],
};

export class RunView {
  constructor(link) {
    this.link = link;
    this.arms = [];
    onHold(find("#release"), async () => this.tell(await link.release()));
    this.deadman();
  }

  async send(target, command, argument) {
    this.tell(await this.link.ask(target, command, argument));
  }

  tell(answer) {
    if (answer.message) toast(answer.message, answer.ok ? "ok" : "warn");
  }

  show(state) {
    const live = state !== null;
    const shown = state ?? LOST_STATE;
    if (live) this.arms = shown.arms.map((part) => part.name);
    document.body.classList.toggle("offline", !live);
    document.body.classList.toggle("is-stopped", shown.stop.on);
    find("#offline-banner").hidden = live;
    find("#stop-banner").hidden = !(shown.stop.on || shown.stop.held_here);
    if (live) find("#rig").textContent = shown.rig + (shown.simulated ? " · simulated" : "");
    this.chips(shown, live);
    this.task(shown, live);
    this.message(shown, live);
    this.buttons(shown, live);
    this.more(shown);
    this.layout(shown);
    this.question(shown);
    this.teleop(shown);
    this.events(shown);
    this.health(shown, live);
    this.log(shown);
    find("#deadman").hidden = !shown.teleop || !["enable", "disable"].some((name) => shown.teleop.commands.includes(name));
  }

  chips(state, live) {
    const recorder = state.recorder;
    const lost = state.sources.recorder?.presence === "lost";
    const chips = [];
    if (lost) chips.push(["lost", "lost", "Recorder lost"]);
    else if (recorder) {
      const recording = recorder.state === "recording";
      const bad = recorder.dropped > 0 || recorder.message;
      const text = recording ? `REC ${seconds(recorder.seconds)}` : `Recorder ${words(recorder.state)}`;
      chips.push([bad ? "error" : recording ? "rec" : "quiet", recording ? "dot" : bad ? "error" : "ok", recorder.dropped ? `${text} · ${recorder.dropped} dropped` : text]);
    } else if (live) chips.push(["quiet", "absent", "Not recorded"]);
    if (state.disk) {
      const left = state.disk.episodes_left === null ? "" : ` · ${state.disk.episodes_left} episodes`;
      chips.push([state.disk.level === "ok" ? "quiet" : state.disk.level, state.disk.level, `${size(state.disk.free_bytes)} left${left}`]);
    }
    if (live && state.stop.held_here && !state.stop.on) chips.push(["warn", "warn", "Stop held here"]);
    fill(find("#chips"), chips, () => chips.map(([level, symbol, text]) =>
      make("span", { class: `chip ${level}` }, symbol === "dot" ? make("i", { class: "dot" }) : icon(symbol), text)));
  }

  task(state, live) {
    const { trial, episode, teleop } = state;
    const bits = [];
    if (trial?.trial) bits.push(`Trial ${trial.trial}${trial.trials ? ` of ${trial.trials}` : ""}`);
    if (trial?.policy_label) bits.push(`Policy ${trial.policy_label}`);
    if (teleop) bits.push(`${teleop.episodes_kept} kept, ${teleop.episodes_discarded} discarded`);
    if (trial?.episode_id || episode) bits.push(trial?.episode_id || episode.id);
    find("#where").textContent = bits.join("  ·  ");
    const lost = !live || state.sources.episode?.presence === "lost";
    const text = state.instruction;
    const shown = text ? `“${text}”` : text === "" ? "(empty instruction)" : !live ? "Console lost" : lost ? "Instruction lost: nobody publishes it any more" : "No instruction yet";
    find("#instruction").textContent = shown;
    find("#instruction").className = text ? "" : "none";
    const names = episode?.phrases ?? {};
    const last = state.stages.some((item) => ["reach_place", "place"].includes(item.stage)) ? 4 : 2;
    const rows = STAGES.slice(0, last).map(([stage, label]) => {
      const found = state.stages.filter((item) => item.stage === stage);
      const right = found.find((item) => item.is_target);
      const wrong = found.find((item) => !item.is_target);
      const one = right ?? wrong;
      return [label, right ? "done" : wrong ? "wrong" : "open", one ? `${names[one.object_id] ?? one.object_id} · ${one.elapsed_s.toFixed(1)} s` : "", Boolean(right && wrong)];
    });
    fill(find("#stages"), [rows, live], () => rows.map(([label, how, what, both]) =>
      make("li", { class: how }, how === "open" ? null : icon(how === "done" ? "success" : "fail"),
        make("span", {}, make("b", {}, label), make("small", {}, how === "open" ? "not yet" : `${how === "wrong" ? "wrong object: " : ""}${what}${both ? " (a wrong one too)" : ""}`)))));
  }

  message(state, live) {
    const addressee = state.trial ?? state.teleop;
    const lostName = ["trial", "teleop"].find((name) => state.sources[name]?.presence === "lost");
    let level = "quiet", phase = "Idle", text = "Nobody who takes commands is running.";
    if (!live) [level, phase, text] = ["lost", "Console lost", "The page reconnects by itself. The robot goes on as it was."];
    else if (addressee) [level, phase, text] = [PHASE_LEVEL[addressee.phase] ?? "quiet", words(addressee.phase), addressee.message];
    else if (lostName) [level, phase, text] = ["lost", `${lostName === "trial" ? "Trial conductor" : "Teleoperation"} lost`, `Nothing heard for ${Math.round(state.sources[lostName].silent_s)} s.`];
    const symbol = { ok: "ok", warn: "warn", error: "error", lost: "lost" }[level] ?? "absent";
    fill(find("#message"), [level, phase, text], () => make("div", { class: `message ${level}` }, icon(symbol), make("div", {}, make("b", {}, phase), make("p", {}, text))));
  }

  buttons(state, live) {
    if (live) this.known = state.buttons;
    const shown = (this.known ?? []).map((button) => (live ? button : { ...button, allowed: false, reason: "the console is lost" }));
    fill(find("#buttons"), shown, () => shown.map((button) =>
      make("button", { class: `big ${button.command}`, disabled: !button.allowed, title: button.reason || LABELS[button.command], "data-command": button.command,
        onclick: () => this.send(button.target, button.command) }, icon(button.command), make("span", {}, LABELS[button.command]))));
  }

  more(state) {
    const taken = state.trial?.commands ?? [];
    const teleop = state.teleop?.commands ?? [];
    fill(find("#more"), [taken.filter((name) => ["note", "intervention", "quit"].includes(name)), teleop.filter((name) => ["undo", "quit"].includes(name)), Boolean(state.trial)], () => {
      const found = [];
      if (teleop.includes("undo")) found.push(make("button", { onclick: () => this.send("teleop", "undo") }, "Undo last episode"));
      if (taken.includes("note") || taken.includes("intervention")) {
        const text = make("input", { placeholder: "A note, or what you did by hand", maxlength: "500", "aria-label": "Note" });
        const write = (command) => () => { if (text.value.trim()) { this.send("trial", command, { text: text.value.trim() }); text.value = ""; } };
        found.push(make("div", { class: "note" }, text, make("button", { onclick: write("note"), disabled: !taken.includes("note") }, "Note"),
          make("button", { onclick: write("intervention"), disabled: !taken.includes("intervention") }, "Intervention")));
      }
      const target = taken.includes("quit") ? "trial" : teleop.includes("quit") ? "teleop" : null;
      if (target) {
        const quit = make("button", { class: "hold" }, "Hold to end session");
        onHold(quit, () => this.send(target, "quit"));
        found.push(quit);
      }
      return found;
    });
  }

  layout(state) {
    const trial = state.trial;
    const card = find("#layout-card");
    const wanted = ["confirm_layout", "recheck"].filter((name) => trial?.commands.includes(name));
    card.hidden = !trial || !["laying_out", "checking", "ready"].includes(trial.phase) || !(trial.layout.length || wanted.length);
    if (card.hidden) return;
    fill(card, [trial.layout, trial.match, wanted], () => [
      make("h2", {}, "Layout", make("small", {}, `${Math.round(trial.match * 100)} % in place`)),
      meter(trial.match),
      make("div", { class: "row" }, wanted.map((name) => make("button", { class: name === "confirm_layout" ? "primary" : "", onclick: () => this.send("trial", name) },
        name === "confirm_layout" ? "The layout is right" : "Look again"))),
      make("ol", { class: "layout" }, trial.layout.map((item) => make("li", { class: item.ok ? "ok" : "warn" }, icon(item.ok ? "ok" : "warn"),
        make("span", {}, item.phrase ?? item.id), make("b", {}, item.ok ? `in place${distance(item)}` : item.measured_xy_m ? `off by${distance(item) || " an unknown distance"}` : "not seen")))),
    ]);
  }

  question(state) {
    const card = find("#question");
    const text = state.tracker?.question ?? "";
    card.hidden = !text;
    if (text) fill(card, text, () => [icon("warn"), make("div", {}, make("h2", {}, "The tracker is not sure"), make("p", {}, text), make("small", {}, "Confirm or overrule stages below. Both what it saw and what you say are kept."))]);
  }

  events(state) {
    const card = find("#events-card");
    const names = state.episode?.phrases ?? {};
    const mayJudge = Boolean(state.trial?.commands.includes("overrule"));
    card.hidden = !mayJudge && !state.stages.length;
    if (card.hidden) return;
    const judge = (item, happened) => () => this.send("trial", "overrule", { stage: item.stage, object: item.object_id, happened });
    fill(card, [state.stages, mayJudge, names], () => [
      make("h2", {}, "Stage events"),
      make("ol", { class: "events" }, state.stages.map((item) => make("li", { class: item.is_target ? "ok" : "error" }, icon(item.is_target ? "ok" : "error"),
        make("span", {}, `${words(item.stage)} · ${names[item.object_id] ?? item.object_id}`, make("small", {}, `${item.elapsed_s.toFixed(1)} s${item.is_target ? "" : " · wrong object"}`)),
        mayJudge && make("button", { onclick: judge(item, true) }, "Confirm"), mayJudge && make("button", { onclick: judge(item, false) }, "Overrule")))),
      mayJudge && this.missed(names),
    ]);
  }

  missed(names) {
    const stage = make("select", { "aria-label": "Stage" }, STAGES.map(([value, label]) => make("option", { value }, label)));
    const object = make("select", { "aria-label": "Object" }, Object.entries(names).map(([value, label]) => make("option", { value }, label)));
    const add = () => this.send("trial", "overrule", { stage: stage.value, object: object.value, happened: true });
    return make("div", { class: "row" }, make("small", {}, "Missed:"), stage, object, make("button", { onclick: add, disabled: !Object.keys(names).length }, "It happened"));
  }

  teleop(state) {
    const teleop = state.teleop;
    const card = find("#teleop-card");
    card.hidden = !teleop;
    if (!teleop) return;
    const ms = (value) => (value === null ? "–" : `${(value * 1000).toFixed(1)} ms`);
    const facts = [["loop", teleop.loop_rate_hz === null ? "–" : `${teleop.loop_rate_hz.toFixed(0)} Hz`], ["jitter p99", ms(teleop.loop_jitter_p99_s)], ["lag p99", ms(teleop.lag_p99_s)]];
    fill(card, [teleop.leaders, facts, teleop.enabled], () => [
      make("h2", {}, "Teleoperation", make("small", {}, teleop.enabled ? "deadman held" : "deadman open")),
      make("div", { class: "leaders" }, teleop.leaders.map((leader) => {
        const stale = leader.age_s === null || leader.age_s > 0.1;
        const degrees = leader.misalignment === null ? null : (leader.misalignment * 180) / Math.PI;
        return make("div", { class: stale ? "lost" : "" }, make("b", {}, words(leader.arm)), degrees === null || stale ? null : meter(1 - Math.min(1, degrees / 45)),
          make("span", {}, stale ? "leader lost" : degrees === null ? "–" : `${degrees.toFixed(1)}° apart`));
      })),
      facts_(facts),
    ]);
  }

  health(state, live) {
    const lost = (name) => ({ name, level: "lost", sentence: "the console is lost", values: {}, silent_s: null });
    this.parts(find("#arms"), live ? state.arms : this.arms.map(lost), true);
    const sources = Object.entries(state.sources).filter(([, source]) => source.presence === "lost")
      .map(([name, source]) => ({ name, level: "lost", sentence: `nothing heard for ${Math.round(source.silent_s)} s`, values: {} }));
    const nodes = [...state.nodes, ...sources.filter((item) => !state.nodes.some((node) => node.name === item.name))];
    find("#nodes").parentElement.hidden = !nodes.length;
    this.parts(find("#nodes"), nodes, false);
  }

  parts(holder, parts, isArm) {
    const rows = parts.map((part) => [part.name, part.level, part.sentence, part.values]);
    fill(holder, rows, () => parts.map((part) => {
      const values = part.values ?? {};
      const shown = Object.entries(values).filter(([name, value]) => value !== "" && !["holding", "fault", "connected", "enabled"].includes(name))
        .map(([name, value]) => [words(name), value]);
      return make("div", { class: `part ${part.level}`, "data-part": part.name }, icon(part.level),
        make("div", {}, make("h3", {}, words(part.name), make("em", {}, LEVEL_WORDS[part.level] ?? part.level)), make("p", {}, part.sentence),
          this.reasons(part, values),
          shown.length ? facts_(shown) : null, isArm && this.armButtons(part, values)));
    }));
  }

  // Why an arm does not move, unless its sentence says so already.
  reasons(part, values) {
    const found = [["Fault", values.fault], ["Holding", values.holding === values.fault ? "" : values.holding]];
    return found.filter(([, text]) => text && !part.sentence.includes(text)).map(([name, text]) => make("p", { class: "bad" }, `${name}: ${text}`));
  }

  armButtons(part, values) {
    const buttons = [];
    if (values.holding) buttons.push(make("button", { class: "hold", "data-arm": part.name }, "Hold to unlock"));
    if (values.enabled === "false") buttons.push(make("button", { class: "hold", "data-arm": part.name }, "Hold to power on"));
    for (const button of buttons) onHold(button, () => this.send(button.textContent.includes("unlock") ? "resume_arm" : "enable_arm", part.name));
    return buttons.length ? make("div", { class: "row" }, buttons) : null;
  }

  log(state) {
    const lines = [...state.log].reverse();
    fill(find("#log"), lines.length ? lines[0].number : -1, () => lines.map((line) =>
      make("li", { class: line.level }, make("time", {}, new Date(line.at * 1000).toLocaleTimeString([], { hour12: false })), make("span", {}, line.text))));
  }

  // The arms follow only while it is held: whatever ends the holding, teleoperation hears nothing more and holds.
  deadman() {
    const button = find("#deadman");
    let timer = null;
    const beat = () => this.link.repeat("teleop", "enable", { hold_s: 0.5 });
    const end = () => {
      if (timer === null) return;
      clearInterval(timer);
      timer = null;
      button.classList.remove("held");
      this.link.ask("teleop", "disable");
    };
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      button.classList.add("held");
      beat();
      timer ??= setInterval(beat, 100);
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(type, end);
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    addEventListener("blur", end);
    document.addEventListener("visibilitychange", () => { if (document.hidden) end(); });
  }
}

function distance(item) {
  return typeof item.error_m === "number" ? ` ${(item.error_m * 1000).toFixed(0)} mm` : "";
}

function meter(share) {
  const bar = make("div", { class: "bar" });
  bar.style.width = `${Math.round(Math.max(0, Math.min(1, share)) * 100)}%`;
  return make("div", { class: share >= 0.999 ? "meter full" : "meter" }, bar);
}

function facts_(rows) {
  return make("dl", {}, rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}
