const table = $("#runs");
const lines = [...table.tBodies[0].rows];

function choose() {
  const { text, ...wanted } = Object.fromEntries(new FormData($("#filters")));
  const words = text.trim().toLowerCase();
  let shown = 0;
  for (const line of lines) {
    const fits = Object.entries(wanted).every(([key, value]) => !value || line.dataset[key] === value) && line.textContent.toLowerCase().includes(words);
    line.hidden = !fits;
    shown += fits;
  }
  $("#found").textContent = `${shown} of ${lines.length} runs`;
}

const worth = (line, column) => line.cells[column].dataset.value ?? line.cells[column].textContent.trim().toLowerCase();

table.tHead.addEventListener("click", (event) => {
  const head = event.target.closest("th");
  if (!head) return;
  const falling = head.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const column = head.cellIndex;
  const compare = (a, b) => (lines[0].cells[column].dataset.value !== undefined ? worth(a, column) - worth(b, column) : worth(a, column).localeCompare(worth(b, column)));
  lines.sort((a, b) => (falling ? -compare(a, b) : compare(a, b)));
  table.tBodies[0].append(...lines);
});

$("#filters").addEventListener("input", choose);
$("#filters").addEventListener("submit", (event) => event.preventDefault());
choose();
