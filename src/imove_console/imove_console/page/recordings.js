// The list of finished episodes, and their images played again.

import { find, icon, make, seconds, size, words } from "./dom.js";

const HEADER_BYTES = 12;
const MOST_AHEAD = 40;

export class Recordings {
  constructor(holder) {
    this.list = make("div", { class: "episodes" });
    this.player = make("div", { class: "player card", hidden: true });
    this.first = 0;
    holder.append(make("div", { class: "columns" }, this.list, this.player));
    this.playing = null;
  }

  async open() {
    try {
      const answer = await fetch(`/api/episodes?first=${this.first}`);
      if (!answer.ok) throw new Error();
      this.showList(await answer.json());
    } catch {
      this.list.replaceChildren(make("p", { class: "empty" }, "The list cannot be read: the console is not connected."));
    }
  }

  close() {
    this.playing?.end();
    this.playing = null;
    this.player.hidden = true;
  }

  showList({ total, entries, dataset }) {
    const pager = make("div", { class: "row" },
      make("button", { disabled: this.first === 0, onclick: () => { this.first = Math.max(0, this.first - 30); this.open(); } }, "Newer"),
      make("button", { disabled: this.first + entries.length >= total, onclick: () => { this.first += 30; this.open(); } }, "Older"),
      make("button", { onclick: () => this.open() }, "Refresh"));
    const head = make("h2", {}, "Recordings", make("small", {}, dataset === null ? "no folder is known to this console" : `${total} in ${dataset}`));
    const rows = entries.map((entry) => this.row(entry));
    this.list.replaceChildren(make("div", { class: "card" }, head, rows.length ? make("ol", {}, rows) : make("p", { class: "empty" }, "Nothing has been recorded yet."), total > 30 || entries.length ? pager : null));
  }

  row(entry) {
    const facts = entry.facts ?? {};
    const verdict = { true: ["ok", "success"], false: ["fail", "failure"] }[(facts.success ?? "").toLowerCase()] ?? ["unknown", "not judged"];
    const bad = entry.fault || entry.dropped > 0;
    return make("li", {}, make("button", { onclick: (event) => this.play(entry, event.currentTarget), disabled: Boolean(entry.fault) || !entry.cameras.length },
      make("span", { class: `verdict ${verdict[0]}` }, icon(verdict[0] === "ok" ? "success" : verdict[0] === "fail" ? "fail" : "absent"), make("small", {}, verdict[1])),
      make("span", { class: "what" }, make("b", {}, facts.instruction || entry.name), make("small", {}, entry.name)),
      make("span", { class: bad ? "numbers bad" : "numbers" }, make("b", {}, entry.fault || seconds(entry.duration_s)),
        make("small", {}, entry.fault ? "damaged" : `${size(entry.size_bytes)} · ${entry.dropped === null ? "drops unknown" : entry.dropped ? `${entry.dropped} DROPPED` : "nothing dropped"}`))));
  }

  play(entry, row) {
    this.close();
    for (const other of this.list.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    row.setAttribute("aria-current", "true");
    this.playing = new Replay(entry);
    this.player.replaceChildren(...this.playing.elements);
    this.player.hidden = false;
    this.player.scrollIntoView({ block: "nearest" });
  }
}

class Replay {
  constructor(entry) {
    this.entry = entry;
    this.camera = entry.cameras.find((name) => name.startsWith("static")) ?? entry.cameras[0];
    this.canvas = make("canvas", { width: 640, height: 480 });
    this.slider = make("input", { type: "range", min: "0", max: String(entry.duration_s), step: "0.1", value: "0", "aria-label": "Time",
      oninput: () => { this.dragged = true; this.time.textContent = this.clock(Number(this.slider.value)); },
      onchange: () => { this.dragged = false; this.start(Number(this.slider.value)); } });
    this.time = make("span", { class: "clock" }, this.clock(0));
    this.toggle = make("button", { class: "primary", "aria-label": "Pause", onclick: () => this.setPaused(!this.paused) }, icon("pause"));
    const cameras = make("select", { "aria-label": "Camera", onchange: () => { this.camera = cameras.value; this.start(this.at_s); } },
      entry.cameras.map((name) => make("option", { value: name, selected: name === this.camera }, words(name))));
    const facts = Object.entries(entry.facts ?? {}).map(([name, value]) => make("div", {}, make("dt", {}, words(name)), make("dd", {}, value)));
    this.note = make("p", { class: "bad" });
    this.elements = [make("h2", {}, entry.name.split("/").pop(), make("small", {}, `${entry.messages} messages`)), this.canvas,
      make("div", { class: "row transport" }, this.toggle, this.slider, this.time), this.note, make("div", { class: "row" }, cameras), make("dl", {}, facts)];
    this.paused = false;
    this.at_s = 0;
    this.start(0);
  }

  clock(at_s) {
    return `${at_s.toFixed(1)} / ${this.entry.duration_s.toFixed(1)} s`;
  }

  setPaused(paused) {
    this.paused = paused;
    this.toggle.replaceChildren(icon(paused ? "start" : "pause"));
    this.toggle.setAttribute("aria-label", paused ? "Play" : "Pause");
    if (!paused && this.ended) this.start(this.at_s >= this.entry.duration_s - 0.2 ? 0 : this.at_s);
  }

  end() {
    this.aborter?.abort();
    clearInterval(this.timer);
  }

  async start(from_s) {
    this.end();
    this.aborter = new AbortController();
    this.frames = [];
    this.ended = false;
    this.at_s = from_s;
    this.note.textContent = "";
    if (this.paused) this.setPaused(false);
    let clock_ms = null;
    this.timer = setInterval(() => {
      const now = performance.now();
      if (!this.frames.length || this.paused) { clock_ms = null; if (!this.frames.length && this.ended) this.finish(); return; }
      if (clock_ms === null) clock_ms = now - this.frames[0].at_s * 1000;
      let next = null;
      while (this.frames.length && this.frames[0].at_s * 1000 <= now - clock_ms) { next?.image.close(); next = this.frames.shift(); }
      if (next) this.draw(next);
    }, 30);
    const mine = this.aborter;
    try {
      const query = new URLSearchParams({ episode: this.entry.name, camera: this.camera, from_s: String(from_s) });
      const answer = await fetch(`/api/replay?${query}`, { signal: mine.signal });
      if (!answer.ok) throw new Error((await answer.json()).error);
      await this.read(answer.body.getReader(), mine.signal);
    } catch (error) {
      if (!mine.signal.aborted) this.note.textContent = error.message || "The recording cannot be played.";
    }
    if (!mine.signal.aborted) this.ended = true;
  }

  async read(reader, signal) {
    let held = new Uint8Array();
    for (;;) {
      // What is far ahead of the picture stays on the other side.
      while (this.frames.length > MOST_AHEAD && !signal.aborted) await new Promise((done) => setTimeout(done, 50));
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      const joined = new Uint8Array(held.length + value.length);
      joined.set(held);
      joined.set(value, held.length);
      held = joined;
      for (;;) {
        if (held.length < HEADER_BYTES) break;
        const header = new DataView(held.buffer, held.byteOffset, HEADER_BYTES);
        const length = header.getUint32(8, true);
        if (held.length < HEADER_BYTES + length) break;
        const blob = new Blob([held.slice(HEADER_BYTES, HEADER_BYTES + length)], { type: "image/jpeg" });
        this.frames.push({ at_s: header.getFloat64(0, true), image: await createImageBitmap(blob) });
        held = held.subarray(HEADER_BYTES + length);
      }
    }
  }

  draw({ at_s, image }) {
    this.canvas.width = image.width;
    this.canvas.height = image.height;
    this.canvas.getContext("2d").drawImage(image, 0, 0);
    image.close();
    this.at_s = at_s;
    if (!this.dragged) {
      this.slider.value = String(at_s);
      this.time.textContent = this.clock(at_s);
    }
  }

  finish() {
    clearInterval(this.timer);
    this.setPaused(true);
  }
}
