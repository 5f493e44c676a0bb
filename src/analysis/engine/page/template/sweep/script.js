// Filters and sorts the rows of the table; the page reads well without it.
"use strict";
const body = document.querySelector("tbody");
const rows = Array.from(body.rows);
const filters = Array.from(document.querySelectorAll("select[data-column], input[data-search]"));
const shown = document.getElementById("shown");

function matches(row) {
  return filters.every((filter) => {
    if (!filter.value) return true;
    if (filter.dataset.column) return row.cells[filter.dataset.column].dataset.value === filter.value;
    return row.textContent.toLowerCase().includes(filter.value.toLowerCase());
  });
}

function filter() {
  let count = 0;
  for (const row of rows) {
    row.hidden = !matches(row);
    count += row.hidden ? 0 : 1;
  }
  shown.textContent = count + " of " + rows.length + " reports";
}

function key(row, column) {
  const value = row.cells[column].dataset.value;
  return value === "" ? null : isNaN(value) ? value : Number(value);
}

function order(a, b) {
  if (a === null || b === null) return 0;
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

function sort(button) {
  const head = button.closest("th");
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of document.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keyed = rows.map((row) => [key(row, head.cellIndex), row]);
  keyed.sort(([a], [b]) => (a === null) - (b === null) || (down ? order(b, a) : order(a, b)));
  body.append(...keyed.map(([, row]) => row));
}

// What is chosen stands in the address, so that it is there again after a reload, a way back, or for somebody else.
function remember() {
  const chosen = filters.map((filter) => [label(filter), filter.value]).filter(([, value]) => value);
  history.replaceState(null, "", chosen.length ? "#" + new URLSearchParams(chosen) : location.pathname);
}

function recall() {
  const chosen = new URLSearchParams(location.hash.slice(1));
  for (const each of filters) each.value = chosen.get(label(each)) ?? "";
}

function label(filter) {
  return filter.dataset.name ?? "*";
}

for (const each of filters) each.addEventListener("input", () => { filter(); remember(); });
for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => sort(button));
document.getElementById("filters").hidden = false;
recall();
filter();
