// The table of all rows chosen: only those in sight are elements, so that thousands cost as little as forty.

const ROW_HEIGHT = 30, MORE = 8;
const shownColumns = about.columns.filter((own) => own.table && own.name !== "accelerator").map((own) => own.name);
const table = { rows: [], at: 0, box: null };

// Numbers by their value, texts by their place in the dictionary, which is in people's order; what is not known is last.
function sorted(rows) {
  const [name, way] = choice.sort.split(":");
  const column = columns.get(name);
  if (!column?.loaded) return rows;
  const sign = way === "down" ? -1 : 1;
  const key = column.numbers ? (row) => column.numbers[row] : (row) => (column.values[column.places[row]] === "" ? NaN : column.places[row]);
  return Array.from(rows).sort((a, b) => {
    const one = key(a), other = key(b);
    if (isNaN(one) || isNaN(other)) return isNaN(one) - isNaN(other) || a - b;
    return sign * (one - other) || a - b;
  });
}

function tableView(rows) {
  table.rows = sorted(rows);
  table.at = 0;
  table.ratio = choice.base || baseRow >= 0 ? ratios(table.rows) : null;
  const heads = make("tr");
  const head = (name, words) => {
    const [by, way] = choice.sort.split(":");
    const button = make("button", { type: "button" }, words);
    button.addEventListener("click", () => change({ sort: `${name}:${by === name && way === "up" ? "down" : "up"}` }));
    const cell = make("th", { scope: "col", className: columns.get(name).numbers ? "number" : "" }, button);
    if (by === name) cell.setAttribute("aria-sort", way === "down" ? "descending" : "ascending");
    heads.append(cell);
  };
  head("accelerator", "Accelerator");
  if (table.ratio) heads.append(make("th", { scope: "col", className: "number" }, `Times ${baseRow >= 0 ? "the baseline" : choice.base}`));
  for (const name of shownColumns) head(name, columns.get(name).head);
  const body = make("tbody");
  const whole = make("table", {}, make("caption", {}, "The results chosen"), make("thead", {}, heads), body);
  whole.setAttribute("aria-rowcount", table.rows.length + 1);
  table.box = make("div", { className: "grid", tabIndex: 0, role: "group", ariaLabel: "Table of the results chosen" }, whole);
  table.box.addEventListener("scroll", () => requestAnimationFrame(fillTable), { passive: true });
  table.box.addEventListener("keydown", moveInTable);
  return table.box;
}

function ratios(rows) {
  const found = new Map();
  for (const { shown } of [panels(rows, ["benchmark", "scenario"], Infinity, (row) => measure(row) > 0)])
    for (const own of shown) {
      const base = reference(own), less = STREAMS.has(text("scenario", own[0]));
      if (base) for (const row of own) found.set(row, less ? base.value / measure(row) : measure(row) / base.value);
    }
  return found;
}

function fillTable() {
  const { box, rows } = table;
  const body = box.querySelector("tbody");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - MORE);
  const last = Math.min(rows.length, first + Math.ceil((box.clientHeight || 600) / ROW_HEIGHT) + 2 * MORE);
  const spacer = (count) => make("tr", { ariaHidden: "true", style: `height:${count * ROW_HEIGHT}px` }, make("td"));
  const focused = document.activeElement?.closest?.(".grid tbody") !== null && body.contains(document.activeElement);
  const made = [];
  for (let place = first; place < last; place++) made.push(tableRow(rows[place], place));
  body.replaceChildren(...(first ? [spacer(first)] : []), ...made, ...(last < rows.length ? [spacer(rows.length - last)] : []));
  if (focused) body.querySelector("button[tabindex='0']")?.focus({ preventScroll: true });
}

function tableRow(row, place) {
  const open = make("button", { type: "button", tabIndex: place === table.at ? 0 : -1 }, said("accelerator", row) || "not stated");
  open.addEventListener("click", () => openRow(row));
  const line = make("tr", {}, make("th", { scope: "row" }, open));
  line.setAttribute("aria-rowindex", place + 2);
  if (table.ratio) line.append(make("td", { className: "number" }, table.ratio.has(row) ? rounded(table.ratio.get(row)) : ""));
  for (const name of shownColumns) line.append(make("td", { className: columns.get(name).numbers ? "number" : "" }, said(name, row)));
  return line;
}

function moveInTable(event) {
  const page = Math.floor(table.box.clientHeight / ROW_HEIGHT) - 2, last = table.rows.length - 1;
  const to = { ArrowDown: table.at + 1, ArrowUp: table.at - 1, PageDown: table.at + page, PageUp: table.at - page, Home: 0, End: last }[event.key];
  if (to === undefined || last < 0) return;
  event.preventDefault();
  table.at = Math.min(last, Math.max(0, to));
  const top = table.at * ROW_HEIGHT, room = table.box.clientHeight - 90;
  if (top < table.box.scrollTop) table.box.scrollTop = top;
  if (top > table.box.scrollTop + room) table.box.scrollTop = top - room;
  fillTable();
  table.box.querySelector("tbody button[tabindex='0']")?.focus({ preventScroll: true });
}
