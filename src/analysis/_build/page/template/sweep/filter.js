// Filters the rows of the table; the page reads well without it.
const rows = Array.from(document.querySelector("tbody").rows);
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
document.getElementById("filters").hidden = false;
recall();
filter();
