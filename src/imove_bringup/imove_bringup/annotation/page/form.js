// The form of labels: drop-downs from the vocabularies, a sentence, phrases.

export const FIELDS = ["category", "color", "shape", "material"];

const element = (id) => document.getElementById(id);

export function make(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

export const spoken = (field) => field.replace("color", "colour").replaceAll("_", " ");

// Builds the drop-downs once; categories stand in their groups.
export function build(words, limits) {
  for (const field of FIELDS) {
    const select = make("select");
    select.id = select.name = field;
    select.required = true;
    select.append(new Option("choose", ""));
    if (field === "category") {
      for (const [group, names] of Object.entries(words.category)) {
        const section = make("optgroup");
        section.label = group.replaceAll("_", " ");
        section.append(...names.map((name) => new Option(name.replaceAll("_", " "), name)));
        select.append(section);
      }
    } else {
      select.append(...words[field].map((word) => new Option(word, word)));
    }
    const label = make("label", `${spoken(field)} `);
    label.append(select);
    element("words").append(label);
  }
  element("description").maxLength = limits.description;
  element("why").maxLength = limits.reason;
}

export function fill(labels) {
  for (const field of FIELDS) element(field).value = labels?.[field] ?? "";
  element("description").value = labels?.description ?? "";
  element("expressions").value = (labels?.expressions ?? []).join("\n");
}

export function read() {
  const phrases = element("expressions").value.split("\n").map((line) => line.trim());
  return {
    ...Object.fromEntries(FIELDS.map((field) => [field, element(field).value])),
    description: element("description").value.trim(),
    expressions: phrases.filter((line) => line),
  };
}

export function same(labels, others) {
  return Boolean(others) && JSON.stringify(labels) === JSON.stringify({
    ...Object.fromEntries(FIELDS.map((field) => [field, others[field]])),
    description: others.description,
    expressions: others.expressions,
  });
}
