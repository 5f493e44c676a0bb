// The details of a row, and the comparison of two rows.

const COMPUTED = new Set(["rate_per_accelerator", "rate", "joules", "per_kilowatt", "tokens_per_second_per_user", "usd_per_million", "accuracy_percent"]);  // others are told in full

function fact(name, row) {
  const column = columns.get(name), words = said(name, row);
  if (!words) return "";
  if (name.endsWith("_difference")) return `${(100 * column.numbers[row]).toPrecision(2)}%`;
  return column.numbers && !column.facet && !COMPUTED.has(name) ? exact.format(column.numbers[row]) : words;
}

function known() {
  return about.columns.filter((own) => !own.hidden && columns.get(own.name).loaded).map((own) => own.name);
}

function source(row) {
  return about.sources[text("source_id", row)];
}

function citation(row) {
  const own = source(row), id = text("result_id", row);
  const what = `${said("benchmark", row)}, ${said("scenario", row)}, ${said("submitter", row)}, ${said("system", row)}`;
  const where = id ? `result ${id}` : `folder ${text("location", row)}`;
  return `${own.title}, ${own.publisher}, ${said("division", row)} division, ${what}, ${where}: ${fact("value", row)} ${text("unit", row)}. `
    + `${own.url}, retrieved ${own.accessed}.`;
}

function folder(row) {
  const own = source(row), place = text("location", row);
  if (!place || !/^https:\/\/github\.com\//.test(own.url)) return document.createTextNode(place);
  const address = `${own.url}/tree/main/${place.split("/").map(encodeURIComponent).join("/")}`;
  return make("a", { href: address, rel: "noreferrer" }, place);
}

function closer() {
  const button = make("button", { type: "button", className: "close" }, "Close");
  button.addEventListener("click", () => change({ row: "" }));
  return button;
}

async function openRow(row) {
  await rest;
  change({ row: text("id", row) });
}

function showRow(row) {
  const dialog = document.getElementById("row");
  const list = make("dl");
  for (const name of known()) {
    const words = fact(name, row);
    if (!words) continue;
    const told = name === "location" ? folder(row) : name === "source_id" ? source(row).title : words;
    list.append(make("div", {}, make("dt", {}, columns.get(name).head), make("dd", {}, told)));
  }
  const cite = make("textarea", { readOnly: true, rows: 4, ariaLabel: "Citation", value: citation(row) });
  const copy = make("button", { type: "button" }, "Copy citation");
  copy.addEventListener("click", () => copied(cite.value, copy));
  const set = (words, changes) => {
    const button = make("button", { type: "button" }, words);
    button.addEventListener("click", () => change({ row: "", ...changes }));
    return button;
  };
  const id = text("id", row);
  const actions = make("p", { className: "actions" }, copy, ...(presentOf(row) ? [set("Set as baseline", { base: text("accelerator", row) })] : []), set("Compare as A", { a: id }), set("Compare as B", { b: id }));
  const heading = make("h2", { id: "row-name" }, `${said("accelerator_count", row)} x ${said("accelerator", row)}, ${said("benchmark", row)} ${said("scenario", row)}, ${said("round", row)}`);
  dialog.replaceChildren(closer(), heading, actions, cite, list);
  if (!dialog.open) dialog.showModal();
}

// A and B: what differs between them first, and what keeps them apart.
function pair() {
  const box = document.getElementById("pair");
  const rows = [choice.a, choice.b].map((id) => (id && columns.get("id").loaded ? rowOf(id) : -1));
  box.hidden = !choice.a && !choice.b;
  if (box.hidden || !columns.get("id").loaded) return;
  const [a, b] = rows, name = (row) => (row < 0 ? "open a result and press Compare" : `${said("accelerator_count", row)} x ${said("accelerator", row)}`);
  const drop = make("button", { type: "button" }, "Clear comparison");
  drop.addEventListener("click", () => change({ a: "", b: "" }));
  box.replaceChildren(make("h2", {}, "A vs B"), drop);
  if (a < 0 || b < 0) {
    box.append(make("p", {}, `A: ${name(a)}. B: ${name(b)}.`));
    return;
  }
  const mixed = banner(rows, "A and B mix"), [one, other] = rows.map((row) => text("accelerator", row));
  const ratio = groupOf(a) === groupOf(b) && one !== other && presentOf(b) && ratioOf(a, other);
  box.append(ratio ? make("p", { className: "ratio" }, `${called(one)}: ${ratioWords(ratio)} ${called(other)} per accelerator`)
    : make("p", {}, "No ratio: ratios are of two accelerators in one benchmark and scenario, of available data center systems in the closed division."));
  if (mixed) box.append(make("p", { className: "banner" }, mixed));
  const body = make("tbody");
  const differs = known().filter((column) => fact(column, a) !== fact(column, b) && !["id", "duplicate_of"].includes(column));
  for (const column of differs)
    body.append(make("tr", {}, make("th", { scope: "row" }, columns.get(column).head), make("td", {}, fact(column, a) || "none"), make("td", {}, fact(column, b) || "none")));
  const heads = make("tr", {}, make("th", { scope: "col" }, "Difference"), make("th", { scope: "col" }, `A: ${name(a)}`), make("th", { scope: "col" }, `B: ${name(b)}`));
  box.append(make("div", { className: "grid pair", tabIndex: 0, role: "group", ariaLabel: "Differences between A and B" }, make("table", {}, make("thead", {}, heads), body)));
}

const places = new Map();
function rowOf(id) {
  if (!places.size) {
    const { values, places: at } = columns.get("id");
    at.forEach((place, row) => places.set(values[place], row));
  }
  return places.get(id) ?? -1;
}
