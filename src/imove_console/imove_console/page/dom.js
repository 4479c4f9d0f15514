// Small helpers. Whatever comes from elsewhere becomes text, never markup.

export const find = (selector, from = document) => from.querySelector(selector);

// An element with attributes, `on` handlers and children; a child that is null or false is left out.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

// Replaces the children only when what they are made of has changed, so that buttons stay under a finger.
export function fill(element, key, makeChildren) {
  const text = JSON.stringify(key);
  if (element.dataset.key === text) return;
  element.dataset.key = text;
  element.replaceChildren(...[makeChildren()].flat().filter(Boolean));
}

export const words = (text) => String(text).replaceAll("_", " ");

export function size(bytes) {
  for (const [unit, scale] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6]]) {
    if (bytes >= scale) return `${(bytes / scale).toFixed(bytes >= 100 * scale ? 0 : 1)} ${unit}`;
  }
  return `${(bytes / 1e3).toFixed(0)} kB`;
}

export const seconds = (value) => (value >= 60 ? `${Math.floor(value / 60)} min ${Math.floor(value % 60)} s` : `${value.toFixed(1)} s`);

export function toast(text, level = "ok") {
  const note = make("div", { class: `toast ${level}` }, icon(level === "ok" ? "ok" : "warn"), make("span", {}, text));
  // What is said again takes the place of what was said.
  for (const other of [...find("#toasts").children]) if (other.textContent === text) other.remove();
  find("#toasts").append(note);
  while (find("#toasts").children.length > 3) find("#toasts").firstChild.remove();
  setTimeout(() => note.remove(), level === "ok" ? 4000 : 8000);
}

// Calls `done` once the button has been held for a while; the bar in it shows how far.
export function onHold(button, done, hold_ms = 1200) {
  let timer = null;
  const end = () => {
    clearTimeout(timer);
    timer = null;
    button.classList.remove("holding");
  };
  button.style.setProperty("--hold", `${hold_ms}ms`);
  button.addEventListener("pointerdown", (event) => {
    if (button.disabled || timer) return;
    event.preventDefault();
    button.classList.add("holding");
    timer = setTimeout(() => { end(); done(); }, hold_ms);
  });
  for (const type of ["pointerup", "pointerleave", "pointercancel", "blur"]) button.addEventListener(type, end);
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  // By keyboard, Enter has to be held as well.
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || timer || event.repeat) return;
    event.preventDefault();
    button.classList.add("holding");
    timer = setTimeout(() => { end(); done(); }, hold_ms);
  });
  button.addEventListener("keyup", end);
}
