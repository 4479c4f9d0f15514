// The connection to the console: reconnects by itself, and never pretends to be there.

const SILENT_MS = 3500;
const RETRY_MS = [300, 600, 1000, 2000];
const STOP_FALLBACK_MS = 500;

export class Link {
  constructor({ onState, onFrame, onLost }) {
    Object.assign(this, { onState, onFrame, onLost });
    this.watched = [];
    this.waiting = new Map();
    this.number = 0;
    this.tries = 0;
    this.heard_ms = 0;
    this.connect();
    setInterval(() => this.check(), 500);
    // A tablet that wakes up has not noticed that its connection is gone.
    addEventListener("online", () => this.check());
    document.addEventListener("visibilitychange", () => this.check());
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.heard_ms = performance.now();
    socket.onopen = () => {
      this.tries = 0;
      this.send({ type: "watch", sources: this.watched });
    };
    socket.onmessage = (event) => {
      if (socket !== this.socket) return;
      this.heard_ms = performance.now();
      if (event.data instanceof ArrayBuffer) this.takeFrame(event.data);
      else this.takeText(JSON.parse(event.data));
    };
    socket.onclose = () => this.lose(socket);
  }

  check() {
    if (this.open && performance.now() - this.heard_ms > SILENT_MS) this.lose(this.socket);
  }

  lose(socket) {
    if (socket !== this.socket) return;
    this.socket = null;
    socket.onclose = null;
    socket.close();
    for (const done of this.waiting.values()) done({ ok: false, message: "the connection was lost before an answer came" });
    this.waiting.clear();
    this.onLost();
    setTimeout(() => this.connect(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
  }

  takeText(message) {
    if (message.type === "state") this.onState(message.state);
    if (message.type === "answer") {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    }
  }

  takeFrame(buffer) {
    const length = new Uint8Array(buffer, 0, 1)[0];
    const source = new TextDecoder().decode(new Uint8Array(buffer, 1, length));
    const blob = new Blob([new Uint8Array(buffer, 1 + length)], { type: "image/jpeg" });
    // Only what is drawn is asked for again: nothing piles up on a slow tablet.
    createImageBitmap(blob)
      .then((image) => this.onFrame(source, image))
      .catch(() => {})
      .finally(() => this.send({ type: "drawn", source }));
  }

  send(message) {
    if (!this.open) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  watch(sources) {
    const sorted = [...sources].sort();
    if (sorted.join() === this.watched.join()) return;
    this.watched = sorted;
    this.send({ type: "watch", sources: sorted });
  }

  // The answer to a command: { ok, message }.
  ask(target, command, argument = {}) {
    return this.request({ type: "command", command: { target, command, argument } });
  }

  request(message) {
    const id = ++this.number;
    return new Promise((done) => {
      if (!this.send({ ...message, id })) done({ ok: false, message: "not sent: the console is not connected" });
      else this.waiting.set(id, done);
    });
  }

  // Sends without waiting, for what is held down.
  repeat(target, command, argument = {}) {
    return this.send({ type: "command", id: ++this.number, command: { target, command, argument } });
  }

  // Every way there is: the socket, and a request of its own where the socket is silent.
  async stop() {
    const bySocket = this.open ? this.request({ type: "stop", on: true }) : Promise.resolve(null);
    const quick = await Promise.race([bySocket, new Promise((done) => setTimeout(done, STOP_FALLBACK_MS, null))]);
    if (quick?.ok) return quick;
    try {
      const answer = await fetch("/api/stop", { method: "POST", headers: { "X-Imove-Console": "stop" } });
      return await answer.json();
    } catch {
      return { ok: false, message: "STOP WAS NOT SENT: the console cannot be reached. Press the button at the robot." };
    }
  }

  release() {
    return this.request({ type: "stop", on: false });
  }
}
