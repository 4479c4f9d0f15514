// The calibration wizard: a board, views of it, what follows, a rig file.

import { icon, make, onHold, toast, words } from "./dom.js";

const BOARD = [["columns", "Squares across", 1], ["rows", "Squares down", 1], ["square_m", "Square, mm", 1000], ["marker_m", "Marker, mm", 1000]];
const HELP = {
  on_hand: "Lay the board flat on the table and leave it. Bring the hand to at least eight places from which the camera sees most of it, turning the wrist about two axes; at each, let the arm rest and take a view.",
  beside: "Fix the board to the hand of the arm that you choose. Bring it to at least eight places that the camera sees, turning the wrist about two axes; at each, let the arm rest and take a view.",
  table: "Calibrate the camera first. Lay the board flat on the table at three places or more, spread over the whole workspace, and take a view of each.",
};

export class CalibrationView {
  constructor(holder, cameras) {
    this.cameras = cameras;
    this.wizard = make("div", { class: "wizard" });
    holder.append(make("div", { class: "columns" }, this.wizard, make("div", { class: "eyes-place" })));
  }

  async open() {
    try {
      const answer = await fetch("/api/calibration");
      if (!answer.ok) throw new Error();
      this.show(await answer.json());
    } catch {
      this.wizard.replaceChildren(make("div", { class: "card" }, make("p", { class: "empty" }, "The console does not answer.")));
    }
  }

  async ask(what, body = {}) {
    try {
      const answer = await fetch(`/api/calibration/${what}`, { method: "POST", headers: { "X-Imove-Console": "page" }, body: JSON.stringify(body) });
      const found = await answer.json();
      if (found.error) toast(found.error, "warn");
      else this.show(found);
    } catch {
      toast("The console does not answer.", "warn");
    }
  }

  show(state) {
    this.wizard.replaceChildren(...(state.choice ? [this.steps(state), this.sampling(state), this.result(state)] : [this.steps(state), this.choosing(state)]));
    if (state.choice) this.cameras.choose(state.choice.camera);
  }

  steps(state) {
    const now = !state.choice ? 0 : state.written ? 4 : state.outcome ? 2 : 1;
    return make("ol", { class: "steps" }, ["Choose", "Take views", "Check", "Write"].map((name, index) =>
      make("li", { class: index < now ? "done" : index === now ? "now" : "", "aria-current": index === now ? "step" : null }, index < now ? icon("success") : make("i", {}, String(index + 1)), name)));
  }

  choosing(state) {
    const select = (label, rows) => make("select", { "aria-label": label }, rows.map(([value, text]) => make("option", { value }, text)));
    const kind = select("What", [["hand_eye", "where a camera is"], ["table", "where the table is"]]);
    const camera = select("Camera", state.cameras.map((item) => [item.name, words(item.name)]));
    const arm = select("Arm", state.arms.map((name) => [name, `${words(name)} arm carries the board`]));
    const help = make("p", { class: "empty" });
    const fields = BOARD.map(([name, label, scale]) => [name, scale, make("input", { type: "number", step: "any", min: "0", value: String(Number((state.board[name] * scale).toFixed(3))), "aria-label": label }), label]);
    const refresh = () => {
      const onHand = state.cameras.find((item) => item.name === camera.value)?.on_hand;
      for (const option of camera.options) option.disabled = kind.value === "table" && state.cameras.find((item) => item.name === option.value).on_hand;
      if (camera.selectedOptions[0].disabled) camera.value = [...camera.options].find((option) => !option.disabled)?.value;
      arm.hidden = kind.value === "table" || onHand;
      const last = kind.value === "table" ? state.table_calibrated_on : state.cameras.find((item) => item.name === camera.value)?.calibrated_on;
      help.textContent = `${HELP[kind.value === "table" ? "table" : onHand ? "on_hand" : "beside"]}${last ? ` Last done on ${last}.` : ""}`;
      this.cameras.choose(camera.value);
    };
    kind.addEventListener("change", refresh);
    camera.addEventListener("change", refresh);
    const begin = () => this.ask("begin", { kind: kind.value, camera: camera.value, arm: arm.hidden ? "" : arm.value,
      board: { ...state.board, ...Object.fromEntries(fields.map(([name, scale, input]) => [name, Number(input.value) / scale])) } });
    refresh();
    return make("div", { class: "card" }, make("h2", {}, "What is calibrated"), make("div", { class: "row" }, kind, camera, arm), help,
      make("h2", {}, "The board, as measured on the print", make("small", {}, state.board.dictionary)),
      make("div", { class: "board" }, fields.map(([, , input, label]) => make("label", {}, label, input))),
      make("div", { class: "row" }, make("button", { class: "primary", onclick: begin }, "Begin"), make("a", { href: "/api/calibration/board.png", target: "_blank", rel: "noopener" }, "Board to print")));
  }

  sampling(state) {
    const { samples, needed, choice } = state;
    const onHand = state.cameras.find((item) => item.name === choice.camera).on_hand;
    const gaps = samples.map((sample) => sample.residual_mm).filter((gap) => gap !== null).sort((one, other) => one - other);
    const usual_mm = Math.max(1, gaps[Math.floor(gaps.length / 2)] ?? 1);
    const standsOut = (sample) => sample.reprojection_px > 1 || sample.residual_mm > 4 * usual_mm;
    const end = make("button", { class: "hold" }, "Hold to begin anew");
    onHold(end, () => this.ask("end"));
    return make("div", { class: "card" }, make("h2", {}, choice.kind === "table" ? "Where the table is" : `Where ${words(choice.camera)} is`, make("small", {}, `${samples.length} views; ${needed} at least, better twice as many`)),
      make("p", { class: "empty" }, HELP[choice.kind === "table" ? "table" : onHand ? "on_hand" : "beside"]),
      make("div", { class: "row" }, make("button", { class: "primary take", onclick: () => this.ask("take") }, "Take a view"), make("button", { disabled: samples.length < needed, onclick: () => this.ask("solve") }, "Compute"), end),
      make("ol", { class: "samples" }, [...samples].reverse().map((sample) => make("li", { class: standsOut(sample) ? "bad-sample" : "" },
        make("img", { src: `/api/calibration/picture/${sample.number}`, alt: `View ${sample.number}`, loading: "lazy" }),
        make("span", {}, make("b", {}, `${sample.number}`), ` ${sample.corners} corners${standsOut(sample) ? " · stands out" : ""}`),
        make("small", {}, `reprojection ${sample.reprojection_px.toFixed(2)} px${sample.residual_mm === null ? "" : ` · ${sample.residual_mm.toFixed(1)} mm`}`),
        make("button", { "aria-label": `Remove view ${sample.number}`, onclick: () => this.ask("drop", { number: sample.number }) }, icon("discard"))))));
  }

  result(state) {
    const outcome = state.outcome;
    if (!outcome) return make("div", { hidden: true });
    const told = { ok: "Good", warn: "Usable; more views, and sharper ones, make it better", error: "Bad: check the size of the board, and remove views that stand out" }[outcome.verdict];
    const facts = [["residual", `${outcome.rms_mm.toFixed(2)} mm`], ...(state.choice.kind === "table" ? [] : [["turned", `${outcome.rms_deg.toFixed(2)}°`]]),
      ["from the old place", `${outcome.moved_mm.toFixed(1)} mm, ${outcome.turned_deg.toFixed(2)}°`]];
    return make("div", { class: `card outcome ${outcome.verdict}` }, make("h2", {}, "Result"), make("div", { class: `message ${outcome.verdict}` }, icon(outcome.verdict), make("div", {}, make("b", {}, told))),
      make("dl", {}, facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)))),
      state.written ? make("p", {}, "Written as ", make("b", {}, state.written), ": give it as rig:= from now on.") : make("div", { class: "row" }, make("button", { class: "primary", disabled: outcome.verdict === "error", onclick: () => this.ask("write") }, "Write the rig file")));
  }
}
