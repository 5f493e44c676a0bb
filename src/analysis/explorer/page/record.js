"use strict";
// The record as columns: texts as dictionaries with a place per row, numbers as they are. Nothing here is ever markup.

const about = JSON.parse(document.getElementById("record-about").textContent);
const columns = new Map(about.columns.map((own) => [own.name, { ...own, loaded: false }]));
const facets = about.columns.filter((own) => own.facet).map((own) => own.name);
let size = 0;

async function unpacked(id) {
  const signs = atob(document.getElementById(`record-${id}`).textContent), bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

async function load(id) {
  for (const [name, cells] of Object.entries(await unpacked(id))) {
    const column = columns.get(name);
    column.loaded = true;
    if (Array.isArray(cells)) {
      size = cells.length;
      column.numbers = new Float64Array(size);
      for (let row = 0; row < size; row++) column.numbers[row] = cells[row] ?? NaN;
      if (column.facet) Object.assign(column, dictionary(column.numbers));
    } else {
      column.values = cells.values;
      column.places = new (cells.values.length > 65535 ? Uint32Array : Uint16Array)(cells.places);
    }
  }
}

// A column of numbers that one chooses by has a dictionary too; what is not known has the value "" and is last.
function dictionary(numbers) {
  const own = [...new Set(numbers)].sort((a, b) => isNaN(a) - isNaN(b) || a - b);
  const place = new Map(own.map((number, at) => [number, at])), places = new Uint16Array(numbers.length);
  for (let row = 0; row < numbers.length; row++) places[row] = place.get(numbers[row]);
  return { values: own.map((number) => (isNaN(number) ? "" : String(number))), places };
}

// Columns as objects, one for each row.
function records(held) {
  const cell = (cells, at) => (cells.places ? cells.values[cells.places[at]] : cells[at] ?? NaN);
  return held.row.map((_, at) => Object.fromEntries(Object.entries(held).map(([name, cells]) => [name, cell(cells, at)])));
}

// Throughput and cost at a ladder of interactivities: of each benchmark by accelerator, the slowest step first.
const curves = new Map();
async function loadCurves() {
  for (const step of records(await unpacked("curves"))) {
    if (!curves.has(step.benchmark)) curves.set(step.benchmark, new Map());
    const own = curves.get(step.benchmark);
    if (!own.has(step.accelerator)) own.set(step.accelerator, []);
    own.get(step.accelerator).push(step);
  }
}

function text(name, row) {
  const column = columns.get(name);
  if (column.values) return column.values[column.places[row]];
  return isNaN(column.numbers[row]) ? "" : String(column.numbers[row]);
}

function number(name, row) {
  return columns.get(name).numbers[row];
}

// What people read for a value of a column: its words where it has any.
function worded(name, value) {
  return columns.get(name).words[value] ?? value;
}

function called(accelerator) {
  return worded("accelerator", accelerator);
}

function said(name, row) {
  const column = columns.get(name);
  if (name === "accuracy_percent") return isNaN(column.numbers[row]) ? "" : column.numbers[row].toFixed(2);
  if (column.numbers && !column.facet) return isNaN(column.numbers[row]) ? "" : amount(column.numbers[row]);
  return worded(name, text(name, row));
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const four = new Intl.NumberFormat("en", { minimumSignificantDigits: 4, maximumSignificantDigits: 4 });
const three = new Intl.NumberFormat("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const exact = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

function amount(value) {
  return Math.abs(value) >= 1000 ? whole.format(value) : four.format(value);
}

function rounded(value) {
  return Math.abs(value) >= 1000 ? whole.format(Number(value.toPrecision(3))) : three.format(value);
}

// How many different ones these rows name: "mixed" is no name of an accelerator.
function different(name, rows) {
  const { values, places } = columns.get(name), own = new Set(rows.map((row) => places[row]));
  return own.size - ["", ...(name === "accelerator" ? ["mixed"] : [])].filter((value) => own.has(values.indexOf(value))).length;
}

// Systems as the report on the record counts them: by submitter and the name of the system.
function systemsIn(rows) {
  const { places: by } = columns.get("submitter"), { values, places } = columns.get("system");
  return new Set(rows.map((row) => by[row] * values.length + places[row])).size;
}

function counted(count, one, many = `${one}s`) {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}

function listed(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join("");
}

function make(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
