// What is chosen: it stands in the address, so that a view is a link, and going back goes back.

const choice = { view: "", chosen: new Map(), search: "", base: "", a: "", b: "", row: "", sort: "", at: "" };
const TEXTS = { search: "q", base: "base", a: "a", b: "b", row: "row", sort: "sort", at: "at" };
const SEARCHED = ["accelerator", "system", "submitter", "software", "result_id", "benchmark"];
let home = new Map();  // what was chosen by hand: each tab begins from it

function read(hash) {
  const given = new URLSearchParams(hash || about.start);
  choice.view = given.get("view") in about.views ? given.get("view") : "ranked";
  choice.chosen = new Map();
  for (const name of facets) {
    const values = given.getAll(name).filter((value) => columns.get(name).values.includes(value));
    if (values.length) choice.chosen.set(name, new Set(values));
  }
  for (const [own, key] of Object.entries(TEXTS)) choice[own] = given.get(key) ?? "";
  home = new Map(choice.chosen);
}

// What a tab selects: what was chosen by hand without the filters that the view compares, or, where the view would have
// nothing to show of that, a selection of its own.
function selectionOf(view) {
  const chosen = new Map(home);
  for (const name of about.views[view].frees) chosen.delete(name);
  if (draws(view, chosen)) return chosen;
  return new Map(Object.entries(about.views[view].start).map(([name, values]) => [name, new Set(values)]));
}

function draws(view, chosen) {
  const { rows } = chosenRows(chosen);
  return view === "table" ? rows.length > 0 : rows.length > 0 && VIEWS[view](rows, 900).sheets.length > 0;
}

function written() {
  const parts = [["view", choice.view]];
  for (const name of facets) for (const value of choice.chosen.get(name) ?? []) parts.push([name, value]);
  for (const [own, key] of Object.entries(TEXTS)) if (choice[own]) parts.push([key, choice[own]]);
  return parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

// The rows chosen, of each facet how many rows each of its values would show, given what is chosen elsewhere, and how
// many rows that the search finds are left out by facets.
function chosenRows(chosen = choice.chosen) {
  const rules = [...chosen].map(([name, values]) => rule(name, (value) => values.has(value)));
  const words = choice.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.map((word) =>
    SEARCHED.map((name) => rule(name, (value) => `${value} ${worded(name, value)}`.toLowerCase().includes(word))));
  const counts = new Map(facets.map((name) => [name, new Uint32Array(columns.get(name).values.length)]));
  const tallies = facets.map((name) => [columns.get(name).places, counts.get(name)]);
  const rows = [];
  let outside = 0;
  for (let row = 0; row < size; row++) {
    let broken = "";
    for (const own of rules) {
      if (own.allowed[own.places[row]]) continue;
      if (broken) { broken = null; break; }
      broken = own.name;
    }
    if (broken === null && !found.length) continue;
    if (!found.every((any) => any.some((own) => own.allowed[own.places[row]]))) continue;
    if (broken !== "" && found.length) outside++;
    if (broken === null) continue;
    if (broken) {
      counts.get(broken)[columns.get(broken).places[row]]++;
      continue;
    }
    rows.push(row);
    for (const [places, tally] of tallies) tally[places[row]]++;
  }
  return { rows, counts, outside };
}

function rule(name, holds) {
  const { values, places } = columns.get(name);
  return { name, places, allowed: Uint8Array.from(values, (value) => holds(value)) };
}
