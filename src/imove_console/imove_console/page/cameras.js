// Live images: one large, the others small. An image that stops coming is shown as lost.

import { fill, find, icon, make, words } from "./dom.js";

const LOST_MS = 2000;
const LAYOUT = "layout_view";
const LAYOUT_PHASES = ["laying_out", "checking"];

export class Cameras {
  constructor(link) {
    this.link = link;
    this.chosen = null;
    this.sources = [];
    this.drawn_ms = new Map();
    this.canvases = new Map();
    this.visible = true;
    setInterval(() => this.mark(), 500);
  }

  canvas(source) {
    if (!this.canvases.has(source)) {
      this.canvases.set(source, make("canvas", { width: 640, height: 480, "data-source": source }));
    }
    return this.canvases.get(source);
  }

  // `state` is null while the console itself is lost.
  show(state) {
    const cameras = state ? state.cameras.map((part) => part.name) : this.sources.filter((name) => name !== LAYOUT);
    const layingOut = LAYOUT_PHASES.includes(state?.trial?.phase);
    this.sources = layingOut ? [LAYOUT, ...cameras] : cameras;
    const main = this.sources.includes(this.chosen) ? this.chosen : this.sources[0];
    const others = this.sources.filter((name) => name !== main);
    const parts = Object.fromEntries((state?.cameras ?? []).map((part) => [part.name, part]));
    fill(find("#main-camera"), main, () => this.view(main));
    fill(find("#thumbs"), others, () => others.map((name) =>
      make("button", { class: "thumb", title: `Show ${words(name)} large`, onclick: () => { this.chosen = name; this.show(state); } }, this.view(name))));
    for (const source of this.sources) this.label(source, parts[source]);
    this.watch();
  }

  // Shows a camera large.
  choose(source) {
    this.chosen = source;
  }

  view(source) {
    return make("div", { class: "camera", "data-camera": source }, this.canvas(source),
      make("div", { class: "no-image" }, icon("lost"), make("span", {})),
      make("div", { class: "caption" }, make("b", {}, source === LAYOUT ? "where objects go" : words(source)), make("span", {})));
  }

  label(source, part) {
    const caption = find(`[data-camera="${CSS.escape(source)}"] .caption span`);
    if (!caption) return;
    const facts = part?.values ?? {};
    const bits = [];
    if (["error", "lost"].includes(part?.level)) bits.push(`${part.level.toUpperCase()}: ${part.sentence}`);
    // A slow camera is told by its figures.
    if (part?.level === "warn") bits.push("WARNING");
    if (facts.rate_hz) bits.push(`${Math.round(Number(facts.rate_hz))} Hz`);
    for (const name of ["dropped", "duplicated", "late"]) if (Number(facts[name])) bits.push(`${facts[name]} ${name}`);
    caption.textContent = bits.join(" · ");
    caption.className = part?.level ?? "";
  }

  watch(visible = this.visible) {
    this.visible = visible;
    this.link.watch(visible ? this.sources : []);
  }

  draw(source, image) {
    const canvas = this.canvas(source);
    if (canvas.width !== image.width || canvas.height !== image.height) {
      canvas.width = image.width;
      canvas.height = image.height;
    }
    canvas.getContext("2d").drawImage(image, 0, 0);
    image.close();
    this.drawn_ms.set(source, performance.now());
    canvas.parentElement?.classList.remove("dark");
  }

  // Says of every image whether it is live.
  mark() {
    for (const [source, canvas] of this.canvases) {
      if (!canvas.isConnected) continue;
      const at = this.drawn_ms.get(source);
      const silent_ms = performance.now() - (at ?? 0);
      const dark = at === undefined || silent_ms > LOST_MS;
      canvas.parentElement.classList.toggle("dark", dark);
      if (dark) find(".no-image span", canvas.parentElement).textContent = at === undefined ? "no image yet" : `no image for ${Math.round(silent_ms / 1000)} s`;
    }
  }
}
