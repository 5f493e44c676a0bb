// The page: filters at the side, a view of what they leave, and the address that says both.

let current = [], tallies = new Map(), seen = [], allShown = false, rest = null;
const one = (id) => document.getElementById(id);

function change(changes, keep = false) {
  Object.assign(choice, changes);
  if ("chosen" in changes && !("view" in changes)) home = new Map(choice.chosen);
  // Whole, for in a notebook's frame a bare hash would be one of the notebook's address.
  history[keep ? "replaceState" : "pushState"](null, "", `${location.href.split("#")[0]}#${written()}`);
  Object.keys(changes).join() === "row" ? openChosen() : render();
}

// The row that is open, or none: what is drawn stays, with what has the focus.
function openChosen() {
  const dialog = one("row");
  if (!choice.row && dialog.open) dialog.close();
  if (choice.row && columns.get("id").loaded && rowOf(choice.row) >= 0) showRow(rowOf(choice.row));
}

function render() {
  const { rows, counts, outside } = chosenRows();
  current = rows;
  tallies = counts;
  const systems = systemsIn(rows), [submitters, accelerators] = ["submitter", "accelerator"].map((name) => different(name, rows));
  one("count").replaceChildren(`${counted(rows.length, "result")} of ${counted(systems, "system")} from ${counted(submitters, "submitter")}`,
    make("small", { className: "quiet" }, [...inWords(), counted(accelerators, "accelerator"), `${whole.format(size)} in all`].join(" \u00b7 ")),
    make("small", { className: "quiet", hidden: !outside }, `Filters hide ${counted(outside, "more result")} of this search.`));
  fillFacets(counts);
  fillBar();
  show(rows);
  pair();
  openChosen();
}

// What the filters leave, facet by facet, as a line says it.
function inWords() {
  return [...choice.chosen].map(([name, values]) => {
    const words = [...values].map((value) => `${worded(name, value) || "not stated"}${name === "accelerator_count" ? " each" : ""}`);
    return words.length > 3 ? `${words.length} of ${columns.get(name).head}` : words.join(" or ");
  });
}

function warn(rows) {
  const said = banner(rows);
  one("banner").textContent = said;
  one("banner").hidden = !said;
}

function show(rows) {
  const box = one("drawing");
  tip.hidden = true;
  const onCurve = CURVES.has(choice.view);
  one("asked").hidden = !onCurve;
  key("");
  box.classList.remove("more");
  seen = rows;
  if (!rows.length) {
    box.replaceChildren(make("p", { className: "nothing" }, "No results. Remove a filter or press Reset."));
    one("note").textContent = "";
    return warn(rows);
  }
  if (choice.view === "table") {
    box.replaceChildren(...tableView(rows));
    fillTable();
    one("note").textContent = "Click a column head to sort by it, or a row for its details. Arrow keys move, Enter opens.";
    return warn(rows);
  }
  const drawing = VIEWS[choice.view](rows, Math.max(300, Math.min(1100, box.clientWidth - 16)));
  const { sheets, note } = drawing;
  seen = drawing.seen;
  warn(seen);
  box.replaceChildren(...(sheets.length ? sheets : [wanting(rows)]));
  for (const svg of sheets) svg.querySelector(".mark")?.setAttribute("tabindex", 0);
  one("note").textContent = sheets.length ? note : "";
  const ofRatios = OF_RATIOS.has(choice.view) && rows.some((row) => ratioOf(row));
  if (sheets.length) key(onCurve ? "curve" : choice.view === "matrix" ? "cell" : ofRatios ? "ratio" : "row");
  const more = make("button", { type: "button" }, allShown ? "Show fewer" : "Show all accelerators");
  more.addEventListener("click", () => { allShown = !allShown; show(current); });
  if (["ranked", "matrix"].includes(choice.view) && sheets.length === 1 && (sheets[0].all > 24 || allShown)) box.append(more);
}

// What the marks mean: of results, of ratios, of curves, or of cells.
function key(kind) {
  for (const own of document.querySelectorAll("[data-key]")) own.hidden = own.dataset.key !== kind;
}

// Marks: pointed at or focused they name their row; a click on or near one opens it.
const tip = make("div", { id: "tip", hidden: true, ariaHidden: "true" });

function tell(shape) {
  const row = shape.row, box = shape.getBoundingClientRect();
  const lines = [shape.label, `${said("accelerator_count", row)} x ${said("accelerator", row)}, ${said("system", row)}`,
    [said("submitter", row), said("software", row), said("precision_label", row)].filter(Boolean).join(", "),
    [said("scenario", row), said("round", row), said("division", row), said("availability", row)].join(", "), limits(row), said("caveats", row)];
  if (text("result_id", row)) lines.push(`Result ${text("result_id", row)}`);
  tip.replaceChildren(...lines.filter(Boolean).map((words) => make("div", {}, words)));
  tip.hidden = false;
  const left = Math.min(innerWidth - tip.offsetWidth - 8, Math.max(8, box.x + box.width / 2 + 10));
  const below = box.bottom + 10;
  tip.style.left = `${left}px`;
  tip.style.top = `${below + tip.offsetHeight > innerHeight ? box.top - tip.offsetHeight - 10 : below}px`;
}

function limits(row) {
  if (!columns.get("ttft_limit_ms").loaded) return "";
  const own = [["ttft_limit_ms", "TTFT"], ["tpot_limit_ms", "TPOT"]]
    .filter(([name]) => number(name, row) > 0).map(([name, words]) => `${words} ${exact.format(number(name, row))} ms`);
  return own.length ? `p99 limits: ${own.join(", ")}` : "";
}

function nearest(svg, event) {
  const box = svg.getBoundingClientRect(), x = event.clientX - box.x, y = event.clientY - box.y;
  let found = null, least = 24 ** 2;
  for (const shape of svg.querySelectorAll(".mark")) {
    const apart = (shape.at[0] - x) ** 2 + (shape.at[1] - y) ** 2;
    if (apart < least) [found, least] = [shape, apart];
  }
  return found;
}

function listenToMarks(box) {
  box.addEventListener("pointerover", (event) => event.target.closest(".mark") ? tell(event.target.closest(".mark")) : (tip.hidden = true));
  box.addEventListener("pointerleave", () => { tip.hidden = true; });
  box.addEventListener("focusin", (event) => event.target.closest(".mark") && tell(event.target.closest(".mark")));
  box.addEventListener("focusout", () => { tip.hidden = true; });
  box.addEventListener("click", (event) => {
    const svg = event.target.closest("svg"), shape = svg && (event.target.closest(".mark") ?? nearest(svg, event));
    if (shape) openRow(shape.row);
  });
  box.addEventListener("keydown", (event) => {
    const shape = event.target.closest?.(".mark");
    if (!shape) return;
    if (event.key === "Escape") tip.hidden = true;
    if (["Enter", " "].includes(event.key)) {
      event.preventDefault();
      openRow(shape.row);
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    event.preventDefault();
    const marks = [...shape.closest("svg").querySelectorAll(".mark")];
    const next = marks[Math.min(marks.length - 1, Math.max(0, marks.indexOf(shape) + step))];
    shape.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  });
}

// Filters: each value with how many results it would leave, be it none. Nothing moves while one chooses: the values keep
// the order of the first view's counts, then of the record's. A long list begins with its first, and has a field to find in.
const LONG = 15, FEW = 10;
const options = new Map(), finds = new Map();

function makeFacets(counts) {
  for (const name of facets) {
    const { values, places, head } = columns.get(name);
    const totals = new Uint32Array(values.length);
    for (const place of places) totals[place]++;
    const order = values.map((_, at) => at), first = counts.get(name), numbers = columns.get(name).numbers;
    if (name === "round") order.reverse();
    else if (name === "benchmark" || name === "scenario") order.sort((a, b) => places.indexOf(a) - places.indexOf(b));
    else if (!numbers) order.sort((a, b) => first[b] - first[a] || totals[b] - totals[a]);
    const list = make("div", { className: numbers ? "options numbers" : "options" });
    options.set(name, order.map((at) => {
      const box = make("input", { type: "checkbox" }), count = make("span", { className: "quiet" });
      box.addEventListener("change", () => {
        const own = new Set(choice.chosen.get(name));
        own[box.checked ? "add" : "delete"](values[at]);
        const chosen = new Map(choice.chosen);
        own.size ? chosen.set(name, own) : chosen.delete(name);
        change({ chosen });
      });
      const label = make("label", {}, box, make("span", {}, worded(name, values[at]) || "not stated"), count);
      list.append(label);
      return { at, box, label, count, kept: false, words: `${worded(name, values[at])}`.toLowerCase() };
    }));
    const field = make("fieldset", {}, make("legend", { className: "unseen" }, head));
    if (values.length > LONG && !numbers) {
      const search = make("input", { type: "search", placeholder: "Search", ariaLabel: `Search ${head}`, autocomplete: "off" });
      const more = make("button", { type: "button", className: "more" });
      finds.set(name, { search, more, all: false });
      search.addEventListener("input", () => narrow(name, true));
      more.addEventListener("click", () => { finds.get(name).all = !finds.get(name).all; narrow(name, true); });
      field.append(search, list, more);
    } else field.append(list);
    const told = make("span", { className: "told" });
    const open = ["round", "benchmark", "scenario", "division"].includes(name) && innerWidth > 900;
    one("facets").append(make("details", { open, id: `facet-${name}` }, make("summary", {}, head, told), field));
  }
}

function fillFacets(counts) {
  if (!options.size) makeFacets(counts);
  for (const [name, own] of options) {
    const chosen = choice.chosen.get(name), tally = counts.get(name), { values } = columns.get(name);
    for (const each of own) {
      const { at, box, label, count } = each;
      box.checked = chosen?.has(values[at]) ?? false;
      if (each.tally === tally[at]) continue;
      each.tally = tally[at];
      count.textContent = whole.format(tally[at]);
      label.classList.toggle("none", !tally[at]);
    }
    narrow(name);
    const words = chosen ? [...chosen].map((value) => worded(name, value)) : [];
    one(`facet-${name}`).querySelector(".told").textContent = words.length > 2 ? `${words.length} selected` : words.join(", ");
  }
}

// Which values of a long facet are listed: those that are found, else the first ones; and those that are chosen, which
// stay when they are given up, until one finds or shows others.
function narrow(name, anew = false) {
  const find = finds.get(name);
  if (!find) return;
  const own = options.get(name), words = find.search.value.toLowerCase();
  own.forEach((each, place) => {
    each.kept = each.box.checked || (each.kept && !anew);
    each.label.hidden = !each.kept && !(words ? each.words.includes(words) : find.all || place < FEW);
  });
  find.more.hidden = Boolean(words);
  find.more.textContent = find.all ? `Show the top ${FEW}` : `Show all ${own.length}`;
}

function offered(name, value) {
  return tallies.get(name)[columns.get(name).values.indexOf(value)] > 0;
}

function fillBar() {
  for (const button of one("views").children) button.setAttribute("aria-pressed", button.value === choice.view);
  if (document.activeElement !== one("search")) one("search").value = choice.search;
  const base = one("base"), groups = [...new Set(current.map(groupOf))].map((key) => [...(present.get(key)?.keys() ?? [])]);
  const there = [...new Set(groups.flat().concat(choice.base || []))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  base.replaceChildren(make("option", { value: "" }, "none"), ...there.map((name) => make("option", { value: name }, called(name))));
  base.value = choice.base;
  base.disabled = !OF_RATIOS.has(choice.view);
  const steps = [...new Set([...curves.values()].flatMap((own) => [...own.values()].flat().map((step) => step.interactivity)))];
  one("at").replaceChildren(...steps.sort((a, b) => a - b).map((speed) => make("option", { value: speed }, atWords(speed))));
  one("at").value = asked();
  for (const kind of ["svg", "png"]) one(`take-${kind}`).disabled = choice.view === "table" || !current.length;
  for (const kind of ["csv", "json"]) one(`take-${kind}`).disabled = !current.length;
}

function listen() {
  for (const [value, { label }] of Object.entries(about.views)) {
    const button = make("button", { type: "button", value }, label);
    button.addEventListener("click", () => change({ view: value, chosen: selectionOf(value) }));
    one("views").append(button);
  }
  let waiting = 0;
  one("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ search: one("search").value }, true), 150);
  });
  one("base").addEventListener("change", () => change({ base: one("base").value }));
  one("at").addEventListener("change", () => change({ at: one("at").value }));
  one("link").hidden = location.protocol === "about:";  // a notebook's frame has no address
  one("link").addEventListener("click", () => copied(location.href, one("link")));
  one("again").addEventListener("click", () => { read(""); change({ chosen: choice.chosen }); });
  one("everything").addEventListener("click", () => change({ chosen: new Map(), search: "" }));
  for (const kind of ["csv", "json", "svg", "png"]) one(`take-${kind}`).addEventListener("click", () => take(kind));
  // At once: of a dialog that closes by itself, the page hears a moment later.
  one("row").addEventListener("cancel", (event) => { event.preventDefault(); change({ row: "" }); });
  one("row").addEventListener("close", () => { if (choice.row && !one("row").open) change({ row: "" }); });
  addEventListener("popstate", () => { read(location.hash.slice(1)); render(); });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; requestAnimationFrame(() => show(current)); } });
  listenToMarks(one("drawing"));
  document.body.append(tip);
}

async function begin() {
  await Promise.all([load("first").then(loadPresent), loadCurves()]);
  read(location.hash.slice(1));
  one("tool").hidden = false;
  if (innerWidth > 900) one("filters").open = true;
  listen();
  render();
  performance.mark("first view");
  rest = new Promise((done) => setTimeout(() => load("rest").then(done), 30));
  await rest;
  if (choice.row || choice.a || choice.b) render();
  document.body.dataset.ready = "all";
}

begin();
