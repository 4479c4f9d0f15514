// The review page: queue on the left, one case on the right, decisions by keyboard.
import { build, fill, FIELDS, make, read, same, spoken } from "./form.js";

const element = (id) => document.getElementById(id);
const token = location.pathname.split("/")[1];
let overview = null;
let shown = null;
let turns = 0;

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Imove-Token": token },
    body: JSON.stringify(body),
  };
  let response, answer;
  try {
    response = await fetch(path, options);
    answer = await response.json();
  } catch {
    throw new Error("The review command has ended; start it again and open its new address.");
  }
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const mm = (metres) => `${(metres * 1000).toFixed(0)} mm`;
const grams = (kg) => `${(kg * 1000).toFixed(0)} g`;
const range = ([low, high], text) => `${text(low)} – ${text(high)}`;
const yesNo = (value) => (value ? "yes" : "no");

function showQueue() {
  const { waiting, decided, corpus } = overview;
  element("corpus").textContent = corpus;
  const total = waiting.length + decided;
  const share = total ? decided / total : 1;
  element("bar").style.setProperty("width", `${100 * share}%`);
  element("progress").setAttribute("aria-valuenow", String(Math.round(100 * share)));
  element("count").textContent = `${decided} of ${total} decided, ${waiting.length} wait`;
  element("queue").replaceChildren(...waiting.map((entry) => {
    const item = make("li");
    const button = make("button", entry.name);
    button.type = "button";
    button.append(make("span", String(entry.reasons), "badge"));
    if (entry.uuid === shown?.uuid) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => open(entry.uuid));
    item.append(button);
    return item;
  }));
  document.querySelector("#queue [aria-current]")?.scrollIntoView({ block: "nearest" });
}

async function open(uuid) {
  if (uuid === undefined) {
    shown = null;
    element("case").hidden = true;
    element("empty").hidden = false;
    showQueue();
    return;
  }
  const turn = ++turns;
  const [next, picture] = await Promise.all([ask(`case/${uuid}`), load(`picture/${uuid}`)]);
  // Another case was opened while this one was on its way.
  if (turn !== turns) return;
  shown = next;
  element("case").hidden = false;
  element("empty").hidden = true;
  element("name").textContent = shown.name;
  element("uuid").textContent = shown.uuid;
  element("picture").replaceChildren(picture);
  element("reasons").replaceChildren(...shown.reasons.map((reason) => make("li", reason)));
  hideWhy();
  showAnswers();
  const first = shown.models.findIndex((model) => model.offer);
  fill(first < 0 ? shown.current : shown.models[first].offer);
  changed();
  showQueue();
  window.scrollTo(0, 0);
}

// A picture that is ready, so that no case is ever shown with another one's.
async function load(path) {
  const image = new Image();
  image.alt = "Six views of the object";
  image.src = path;
  await image.decode();
  return image;
}

function showMeasured(category) {
  const { measured } = shown;
  const plausible = overview.plausible[category];
  const longest = Math.max(...measured.extents_m);
  const within = (value, [low, high]) => low <= value && value <= high;
  const rows = [
    ["colour", null, ""],
    ["graspable", yesNo(measured.is_graspable), ""],
    ["longest side", mm(longest) + (plausible ? ` (usual ${range(plausible.longest_side_m, mm)})` : ""),
      plausible && !within(longest, plausible.longest_side_m) ? "bad" : ""],
    ["container", yesNo(measured.is_container), ""],
    ["mass", grams(measured.mass_kg) + (plausible ? ` (usual ${range(plausible.mass_kg, grams)})` : ""),
      plausible && !within(measured.mass_kg, plausible.mass_kg) ? "bad" : ""],
    ["size", measured.size_bucket, ""],
    ["box", measured.extents_m.map((side) => (side * 1000).toFixed(0)).join(" × ") + " mm", ""],
  ];
  element("measured").replaceChildren(...rows.flatMap(([name, text, className]) => {
    const value = make("dd", text ?? "", className);
    if (text === null) value.append(...measured.color_shares.filter(([, share]) => share >= 0.01).map(swatch));
    return [make("dt", name), value];
  }));
}

function swatch([word, share]) {
  const made = make("span", `${word} ${(100 * share).toFixed(0)} %`, "swatch");
  made.prepend(make("i", "", `color-${word}`));
  return made;
}

// One row a field, one column a model and one for the corpus; what differs, or disagrees with measurement, is marked.
function showAnswers() {
  const { models, current, measured } = shown;
  const answers = models.map((model) => model.answer);
  const height = measured.extents_m[2];
  const outside = ([low, high], value) => !(low <= value && value <= high);
  const fields = [
    ...["super_category", ...FIELDS].map((name) => [name, (a) => a[name], true]),
    ["height", (a) => range(a.height_m, mm), false, (a) => outside(a.height_m, height)],
    ["mass", (a) => range(a.mass_kg, grams), false, (a) => outside(a.mass_kg, measured.mass_kg)],
    ["graspable", (a) => yesNo(a.is_graspable), false],
    ["container", (a) => yesNo(a.is_container), false],
    ["name", (a) => a.name, false],
    ["description", (a) => a.description, false],
    ["phrases", (a) => a.expressions.join(", "), false],
  ];
  const head = make("tr");
  head.append(make("th"));
  [...models.map((model) => model.name), "corpus"].forEach((name, index) => {
    const cell = make("th");
    const labels = index < models.length ? models[index].offer : current;
    const button = make("button", name);
    button.type = "button";
    button.prepend(make("kbd", index < models.length ? String(index + 1) : "0"));
    button.disabled = !labels;
    button.title = labels ? "Put these words into the form" : "These words cannot be taken as they are";
    button.addEventListener("click", () => take(labels));
    cell.append(button);
    head.append(cell);
  });
  const rows = fields.map(([name, text, mustAgree, isBad], number) => {
    const row = make("tr");
    row.append(make("th", spoken(name)));
    const texts = answers.map((answer) => (answer ? text(answer) : ""));
    const differs = mustAgree && answers.every(Boolean) && new Set(texts).size > 1;
    answers.forEach((answer, index) => {
      if (!answer) {
        if (number === 0) row.append(faultCell(models[index].fault, fields.length));
        return;
      }
      const cell = make("td", texts[index]);
      if (differs) cell.classList.add("differs");
      if (isBad?.(answer)) cell.classList.add("bad");
      if (name === "color" && answer.color !== measured.color_shares[0][0]) cell.classList.add("bad");
      if (name === "phrases") cell.append(...models[index].left_out.map((fault) => make("small", fault)));
      row.append(cell);
    });
    const known = { super_category: groupOf(current.category), height: mm(height), mass: grams(measured.mass_kg), graspable: yesNo(measured.is_graspable),
      container: yesNo(measured.is_container), name: shown.name };
    row.append(make("td", known[name] ?? current[name] ?? ""));
    return row;
  });
  const body = make("tbody");
  body.append(...rows);
  const top = make("thead");
  top.append(head);
  element("answers").replaceChildren(top, body);
}

// Stands where the column of a model without a usable answer would be.
function faultCell(fault, rows) {
  const cell = make("td", fault, "fault");
  cell.rowSpan = rows;
  return cell;
}

function groupOf(category) {
  return Object.entries(overview.words.category).find(([, names]) => names.includes(category))?.[0] ?? "";
}

function take(labels) {
  if (!labels) return;
  fill(labels);
  changed();
}

function changed() {
  const labels = read();
  const isOffer = shown.models.some((model) => same(labels, model.offer));
  element("accept-text").textContent = isOffer ? "Confirm" : "Correct";
  element("error").textContent = "";
  showMeasured(labels.category);
}

function hideWhy() {
  element("why-label").hidden = true;
  element("why").value = "";
}

function askWhy() {
  element("why-label").hidden = false;
  element("why").focus();
}

function step(by) {
  const uuids = overview.waiting.map((entry) => entry.uuid);
  if (!uuids.length) return open(undefined);
  const here = uuids.indexOf(shown?.uuid);
  return open(uuids[(here + by + uuids.length) % uuids.length]);
}

async function decide(path, body) {
  for (const button of element("form").querySelectorAll("button")) button.disabled = true;
  try {
    const before = overview.waiting.map((entry) => entry.uuid);
    await ask(path, body);
    overview = await ask("overview");
    const left = new Set(overview.waiting.map((entry) => entry.uuid));
    const here = before.indexOf(body.uuid);
    const next = [...before.slice(here), ...before.slice(0, here)].find((uuid) => left.has(uuid));
    await open(next);
  } catch (error) {
    element("error").textContent = error.message;
  } finally {
    for (const button of element("form").querySelectorAll("button")) button.disabled = false;
  }
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!element("why-label").hidden) return;
  decide("accept", { uuid: shown.uuid, labels: read() });
});
element("form").addEventListener("input", (event) => {
  if (event.target.id !== "why") changed();
});
element("reject").addEventListener("click", askWhy);
element("skip").addEventListener("click", () => step(1));
element("why").addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    decide("reject", { uuid: shown.uuid, reason: element("why").value });
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    hideWhy();
    document.activeElement.blur();
    return;
  }
  if (!shown) return;
  if (event.ctrlKey && event.key === "Enter") {
    event.preventDefault();
    element("form").requestSubmit();
    return;
  }
  const isTyping = /^(input|select|textarea)$/i.test(document.activeElement.tagName);
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
  const action = {
    1: () => take(shown.models[0].offer),
    2: () => take(shown.models[1].offer),
    0: () => take(shown.current),
    x: askWhy,
    j: () => step(1),
    k: () => step(-1),
    e: () => element("category").focus(),
  }[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
});

try {
  overview = await ask("overview");
  build(overview.words, overview.limits);
  await open(overview.waiting[0]?.uuid);
} catch (error) {
  document.querySelector("main").replaceChildren(make("p", error.message, "fatal"));
}
