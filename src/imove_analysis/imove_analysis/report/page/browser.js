const data = JSON.parse($("#data").textContent);
const titles = new Map(data.classes);
const NEUTRAL = new Set(["text_about_no_single_object", "class_not_known"]);
const A_PAGE = 25;
let chosen = [];
let page = 0;

const called = (row, key) => (key ? row.names[key] ?? key : "nothing");
const failed = (row) => row.class !== "success" && !NEUTRAL.has(row.class);

function fits(row, wanted) {
  const has = (texts, words) => texts.join(" ").toLowerCase().includes(words.trim().toLowerCase());
  return (!wanted.run || row.run === Number(wanted.run))
    && (!wanted.class || (wanted.class === "failed" ? failed(row) : row.class === wanted.class))
    && (!wanted.condition || row.condition === wanted.condition)
    && (!wanted.object || has([called(row, row.target), called(row, row.acted)], wanted.object))
    && (!wanted.text || has([row.scene, row.sent ?? "", row.heard, row.detail, row.message], wanted.text));
}

const ORDERS = {
  scene: (a, b) => a.scene.localeCompare(b.scene) || a.condition.localeCompare(b.condition),
  class: (a, b) => a.class.localeCompare(b.class),
  video: (a, b) => Number(Boolean(b.video)) - Number(Boolean(a.video)),
  step: (a, b) => (a.decided ?? Infinity) - (b.decided ?? Infinity) || 0,
};

/** When which object reached which stage: a line a rubric, filled for the instructed object. */
function timeline(row) {
  const rubrics = Object.entries(row.events);
  const width = Math.max(290, Math.min(560, $("#episodes").clientWidth - 30)), left = 74, lane = 34, height = lane * rubrics.length + 24;
  const at = (step) => left + (step / Math.max(1, row.steps)) * (width - left - 10);
  const drawing = make("svg:svg", { class: "plot timeline", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Events over the episode" });
  rubrics.forEach(([rubric, events], line) => {
    const y = lane * line + 20;
    drawing.append(make("svg:text", { x: 0, y: y + 4 }, rubric), make("svg:line", { x1: left, y1: y, x2: width - 10, y2: y, class: "grid" }));
    let last = -Infinity;
    for (const [stage, object, destination, step, own] of events) {
      const x = at(step), what = `${stage.replace("_", " ")}: ${called(row, object)}${destination ? ` at ${called(row, destination)}` : ""}, step ${step}${own ? "" : " (not the instructed one)"}`;
      const sign = make("svg:g", { class: `marker ${own ? "s2" : "s1"}`, transform: `translate(${x} ${y})` }, make("svg:title", {}, what), own ? make("svg:circle", { r: 5 }) : make("svg:rect", { x: -4.5, y: -4.5, width: 9, height: 9 }));
      drawing.append(sign);
      if (x - last > 46) {
        drawing.append(make("svg:text", { x, y: y - 9, class: "soft", "text-anchor": "middle" }, stage.replace("_", " ")));
        last = x;
      }
    }
  });
  for (let share = 0; share <= 1; share += 0.25) {
    drawing.append(make("svg:text", { x: at(row.steps * share), y: height - 4, class: "soft", "text-anchor": "middle" }, `${Math.round(row.steps * share)}`));
  }
  return drawing;
}

function facts(row) {
  const list = make("dl");
  const add = (name, value, look = "") => value && list.append(make("dt", {}, name), make("dd", look ? { class: look } : {}, value));
  add("Sent", row.sent === null ? "not known: the suite is not at hand" : row.sent === "" ? "(no text)" : `“${row.sent}”`);
  add("Received", row.verified ? (row.heard === "" ? "(no text), as sent" : `“${row.heard}”, as it was to be`) : `“${row.heard}”: not the text that was to arrive`, row.verified ? "" : "bad");
  add("Instructed", row.target && called(row, row.target) + (row.destination ? ` to ${called(row, row.destination)}` : ""));
  add("Acted on", called(row, row.acted));
  add("First contact", row.contact && called(row, row.contact));
  add("What was seen", row.detail);
  add("Cues for it", row.cues.join(", "));
  add("Class", row.sure ? "" : "control steps, which were not kept, could tell a finer one");
  add("Outcome", row.outcome + (row.message ? `: ${row.message}` : ""), row.outcome === "completed" ? "" : "bad");
  add("Safety layer", row.safety ? `changed commands ${row.safety} times` : "");
  return list;
}

/** What an opened row shows; made when it is opened, so that a long list stays light. */
function body(row) {
  const found = make("div", { class: "body" });
  if (row.video) {
    const video = make("video", { controls: "", preload: "none", playsinline: "", src: row.video, "aria-label": `Episode ${row.scene}, ${row.condition}` });
    if (row.poster) video.setAttribute("poster", row.poster);
    found.append(video);
  }
  found.append(facts(row));
  if (Object.keys(row.events).length) found.append(timeline(row));
  return found;
}

function entry(row) {
  const look = row.class === "success" ? "class success" : NEUTRAL.has(row.class) ? "class neutral" : "class";
  const said = row.sent === null ? row.heard : row.sent;
  const run = data.runs.length > 1 ? `${data.runs[row.run]}, ` : "";
  const head = make("summary", {},
    make("span", { class: look }, (titles.get(row.class) ?? row.class) + (row.sure ? "" : " ?")),
    make("span", { class: "said" }, said === "" ? "(no text)" : `“${said}”`),
    make("span", { class: "where" }, `${run}${row.scene}, ${row.condition}${row.video ? " ▸" : ""}`));
  const found = make("details", { class: "episode" }, head);
  found.addEventListener("toggle", () => { if (found.open && !$(".body", found)) found.append(body(row)); });
  return found;
}

function show() {
  const pages = Math.max(1, Math.ceil(chosen.length / A_PAGE));
  page = Math.min(page, pages - 1);
  $("#episodes").replaceChildren(...chosen.slice(page * A_PAGE, (page + 1) * A_PAGE).map(entry));
  $("#place").textContent = `${page + 1} of ${pages}`;
  $("#before").disabled = page === 0;
  $("#after").disabled = page >= pages - 1;
}

function choose() {
  const wanted = Object.fromEntries(new FormData($("#filters")));
  chosen = data.episodes.filter((row) => fits(row, wanted));
  if (wanted.order) chosen.sort(ORDERS[wanted.order]);
  $("#found").textContent = `${chosen.length} of ${data.episodes.length} episodes`;
  page = 0;
  show();
}

$("#filters").addEventListener("input", choose);
$("#filters").addEventListener("submit", (event) => event.preventDefault());
$("#before").addEventListener("click", () => { page -= 1; show(); });
$("#after").addEventListener("click", () => { page += 1; show(); });
choose();
