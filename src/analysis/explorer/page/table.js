// The table of all rows chosen: only those in sight are elements, so that thousands cost as little as forty.

const ROW_HEIGHT = 30, MOST_HEIGHT = 0.7, MORE = 4;  // a row and the table (of the window's) as the style has them
const shownColumns = about.columns.filter((own) => own.table && own.name !== "accelerator").map((own) => own.name);
const table = { rows: [], at: 0, first: 0, box: null, shown: [], measured: "" };
const LEAST = 6.5, WIDEST = 16, NARROW = 11, NUMBERS = 8, RATIOS = 19;  // characters

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

// Which columns are drawn and how wide, in characters, by what the rows chosen have in them: so no sort moves a column.
// One that is empty is left out, and one that says the same of each row is said once above the table, or by its filter.
function layOut(rows) {
  const shown = [], same = [];
  // Where a row is comparable with none, the reason stands in place of its rate, or of its latency where none has a rate.
  const measured = rows.every((row) => STREAMS.has(text("scenario", row))) ? "latency_ms" : "rate_per_accelerator";
  const beside = measured === "rate_per_accelerator" ? "rate" : "";
  for (const name of ["accelerator", ...shownColumns]) {
    const column = columns.get(name);
    const words = column.short || column.head, head = Math.max(LEAST, ...words.split(" ").map((word) => 1.1 * word.length));
    if (!column.places) {
      if (name === measured || name === beside || rows.some((row) => !isNaN(column.numbers[row]))) shown.push({ name, words, width: Math.max(head, NUMBERS) });
      continue;
    }
    const { values, places } = column, first = places[rows[0]];
    column.lengths ??= Uint8Array.from(values, (value) => Math.min(WIDEST, String(worded(name, value)).length));
    column.longest ??= column.lengths.reduce((most, length) => Math.max(most, length), 0);
    let longest = 0, alike = true;
    for (const row of rows) {
      const place = places[row];
      if (column.lengths[place] > longest) longest = column.lengths[place];
      if (place !== first) alike = false;
      if (!alike && longest === column.longest) break;
    }
    if (!alike || name === "accelerator" || rows.length === 1 && values[first])
      shown.push({ name, words, width: Math.max(head, Math.min(longest, innerWidth <= 900 ? NARROW : WIDEST)) });
    else if (values[first] && choice.chosen.get(name)?.size !== 1) same.push(unmistakable(column, worded(name, values[first])));
  }
  return { shown, same, measured };
}

// A number or "not stated" needs its column's head; any other value says what it is.
function unmistakable(column, words) {
  return /[a-z]{2}/i.test(words) && words !== "not stated" ? words : `${column.head.toLowerCase()} ${words}`;
}

// The table, and above it what is the same in each of its rows.
function tableView(rows) {
  table.rows = sorted(rows);
  table.at = 0;
  const { shown, same, measured } = layOut(table.rows);
  if (choice.base) shown.splice(1, 0, { name: "", words: `Accelerator over ${called(choice.base)}`, width: RATIOS });
  Object.assign(table, { shown, measured });
  const [by, way] = choice.sort.split(":");
  const heads = shown.map(({ name, words }) => {
    if (!name) return make("th", { scope: "col", className: "number" }, words);
    const button = make("button", { type: "button" }, words);
    const numbers = Boolean(columns.get(name).numbers), down = by === name ? way === "up" : numbers;  // of numbers the highest first
    button.addEventListener("click", () => change({ sort: `${name}:${down ? "down" : "up"}` }));
    const cell = make("th", { scope: "col", className: numbers ? "number" : "" }, button);
    if (by === name) cell.setAttribute("aria-sort", way === "down" ? "descending" : "ascending");
    return cell;
  });
  const body = make("tbody");
  const widths = make("colgroup", {}, ...shown.map(({ width }) => make("col", { style: `width:calc(${width}ch + .75rem)` })));
  const whole = make("table", {}, make("caption", {}, "Selected results"), widths, make("thead", {}, make("tr", {}, ...heads)), body);
  const sum = shown.reduce((all, own) => all + own.width, 0);
  whole.style.width = `max(100%, ${sum}ch + ${0.75 * shown.length}rem)`;
  whole.setAttribute("aria-rowcount", table.rows.length + 1);
  table.box = make("div", { className: "grid", tabIndex: 0, role: "group", ariaLabel: "Table of selected results" }, whole);
  table.box.addEventListener("scroll", () => requestAnimationFrame(scrolled), { passive: true });
  table.box.addEventListener("keydown", moveInTable);
  const told = make("p", { className: "quiet same", hidden: !same.length }, `Same in every row: ${listed(same)}.`);
  return [told, table.box];
}

const firstRow = () => Math.max(0, Math.floor(table.box.scrollTop / ROW_HEIGHT) - MORE);

function scrolled() {
  if (firstRow() !== table.first) fillTable();  // rows made anew under the pointer would lose its click
  else showMore();
}

// Whether there are columns beyond the right edge.
function showMore() {
  one("drawing").classList.toggle("more", table.box.scrollLeft + table.box.clientWidth < table.box.scrollWidth - 8);
}

function fillTable() {
  const { box, rows } = table, inSight = Math.ceil((MOST_HEIGHT * innerHeight) / ROW_HEIGHT);
  const body = box.querySelector("tbody");
  const first = table.first = firstRow();
  const last = Math.min(rows.length, first + inSight + 2 * MORE);
  const spacer = (count) => make("tr", { ariaHidden: "true", style: `height:${count * ROW_HEIGHT}px` }, make("td"));
  const focused = document.activeElement?.closest?.(".grid tbody") !== null && body.contains(document.activeElement);
  const made = [];
  for (let place = first; place < last; place++) made.push(tableRow(rows[place], place));
  body.replaceChildren(...(first ? [spacer(first)] : []), ...made, ...(last < rows.length ? [spacer(rows.length - last)] : []));
  if (focused) body.querySelector("button[tabindex='0']")?.focus({ preventScroll: true });
  showMore();
}

function tableRow(row, place) {
  const line = make("tr"), reason = text("excluded", row), ratio = ratioOf(row);
  line.addEventListener("click", () => openRow(row));
  line.setAttribute("aria-rowindex", place + 2);
  for (const { name, width } of table.shown) {
    if (name === "accelerator") {
      const open = make("button", { type: "button", tabIndex: place === table.at ? 0 : -1 }, said(name, row) || "not stated");
      line.append(make("th", { scope: "row" }, open));
    } else if (!name) line.append(make("td", { className: "number" }, ratio ? ratioWords(ratio, "–") : ""));
    else if (reason && name === table.measured) line.append(make("td", { className: "quiet reason", colSpan: name === "rate_per_accelerator" ? 2 : 1, title: reason }, reason));
    else if (!reason || name !== "rate" || table.measured !== "rate_per_accelerator") {
      const words = said(name, row), cell = make("td", { className: columns.get(name).numbers ? "number" : "" }, words);
      if (name === "usd_per_million") {
        cell.title = said("priced", row);
        if (!words && cell.title === "no price") cell.append(make("span", { className: "quiet" }, cell.title));
      } else if (words.length > 0.9 * width) cell.title = words;
      line.append(cell);
    }
  }
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
