// Sorts the tables of a page by the column whose head is pressed; they read well without it.
"use strict";

// What a cell sorts by: its own value or its text, as a number where it begins with one; null where it says nothing.
function key(cell) {
  const text = (cell.dataset.value ?? cell.textContent).trim();
  if (!text || /^[–-]$/.test(text)) return null;
  if (cell.dataset.value === undefined && !cell.matches(".number")) return text;
  const number = cell.dataset.value === undefined ? parseFloat(text.replaceAll(",", "")) : Number(text);
  return isNaN(number) ? text : number;
}

function order(a, b) {
  if (a === null || b === null) return 0;
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function sort(table, head) {
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keyed = Array.from(table.tBodies[0].rows, (row) => [key(row.cells[head.cellIndex]), row]);
  keyed.sort(([a], [b]) => (a === null) - (b === null) || (down ? order(b, a) : order(a, b)));
  table.tBodies[0].append(...keyed.map(([, row]) => row));
}

for (const table of document.querySelectorAll(".sortable table")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head));
    head.append(button);
  }
}
