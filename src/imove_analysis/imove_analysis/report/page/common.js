"use strict";
const $ = (selector, root = document) => root.querySelector(selector);

/** An element with properties and children; texts become text nodes, never markup. */
function make(name, properties = {}, ...children) {
  const found = name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) found.setAttribute(key, value);
  found.append(...children.filter((child) => child !== null && child !== undefined));
  return found;
}

/** Light or dark as the reader chose; files that may keep nothing choose anew each time. */
const scheme = {
  get() { try { return localStorage.getItem("imove-scheme"); } catch { return null; } },
  set(value) { document.documentElement.style.colorScheme = value; try { localStorage.setItem("imove-scheme", value); } catch { /* not kept */ } },
};
if (scheme.get()) document.documentElement.style.colorScheme = scheme.get();
$("#theme").addEventListener("click", () => {
  const chosen = document.documentElement.style.colorScheme;
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  scheme.set(dark ? "light" : "dark");
});

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const told = $("output", button.parentElement);
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      told.textContent = "copied";
    } catch {
      told.textContent = "this browser does not let a page copy";
    }
  });
}
