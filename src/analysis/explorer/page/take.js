// Downloads: the selected rows as CSV or JSON, the view as SVG or PNG, each with its sources and their date.

function save(name, kind, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function cell(name, row) {
  const column = columns.get(name);
  if (column.numbers) return isNaN(column.numbers[row]) ? null : column.numbers[row];
  return column.values[column.places[row]];
}

function quoted(value) {
  const words = value === null ? "" : String(value);
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
}

function taken() {
  return about.columns.filter((own) => !own.hidden).map((own) => own.name);
}

function csv(rows) {
  const names = taken();
  const lines = [[...names, "source", "source_address", "retrieved"].join(",")];
  for (const row of rows) {
    const own = source(row);
    lines.push([...names.map((name) => quoted(cell(name, row))), ...[own.title, own.url, own.accessed].map(quoted)].join(","));
  }
  return `${lines.join("\n")}\n`;
}

function json(rows) {
  const names = taken(), used = new Set(rows.map((row) => text("source_id", row)));
  const told = {
    sources: Object.fromEntries([...used].sort().map((id) => [id, about.sources[id]])),
    retrieved: about.retrieved,
    view: written(),
    banner: banner(seen),
    results: rows.map((row) => Object.fromEntries(names.map((name) => [name, cell(name, row)]))),
  };
  return `${JSON.stringify(told, null, 1)}\n`;
}

const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-family", "font-size", "font-weight"];

// The drawings of the view below each other as one, with colors of their own, what they mix, sources and date.
function picture(rows) {
  const sheets = [...document.querySelectorAll("#drawing svg")];
  const width = Math.max(...sheets.map((own) => own.width.baseVal.value));
  const used = [...new Set(rows.map((row) => said("round", row)))];
  const notes = [banner(seen), one("note").textContent, `Sources: MLPerf Inference results ${listed(used)}, MLCommons; retrieved ${about.retrieved}.`,
    "Throughput per accelerator, energy, cost, and ratios are derived, not verified by MLCommons Association."].filter(Boolean);
  const lines = notes.flatMap((words) => wrapped(words, Math.floor(width / 6.2)));
  const heights = sheets.map((own) => own.height.baseVal.value);
  const height = heights.reduce((sum, own) => sum + own + 16, 12) + 16 * lines.length;
  const style = getComputedStyle(document.getElementById("drawing"));
  const out = draw("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  out.append(draw("title", {}, `MLPerf Inference: ${about.views[choice.view].label}`), draw("desc", {}, `${notes.join(" ")} #${written()}`));
  out.append(draw("rect", { width, height, fill: style.getPropertyValue("--surface").trim() || "#fff" }));
  let top = 4;
  sheets.forEach((own, place) => {
    const copy = own.cloneNode(true);
    const [from, to] = [own, copy].map((each) => each.querySelectorAll("*"));
    from.forEach((element, at) => {
      const computed = getComputedStyle(element);
      for (const name of STYLED) to[at].setAttribute(name, computed.getPropertyValue(name));
      for (const name of ["class", "style", "tabindex", "role"]) to[at].removeAttribute(name);
    });
    copy.setAttribute("y", top);
    out.append(copy);
    top += heights[place] + 16;
  });
  lines.forEach((words, at) => out.append(draw("text", { x: 4, y: top + 12 + 16 * at, fill: style.color, "font-family": "sans-serif", "font-size": "11px" }, words)));
  return out;
}

function wrapped(words, most) {
  const lines = [""];
  for (const word of words.split(" ")) {
    if ((lines.at(-1) + word).length > most) lines.push("");
    lines[lines.length - 1] += `${word} `;
  }
  return lines.map((line) => line.trim());
}

async function png(rows) {
  const drawing = picture(rows), image = new Image();
  const width = drawing.width.baseVal.value, height = drawing.height.baseVal.value;
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
  await image.decode();
  const canvas = make("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// Text to the clipboard, which a notebook's frame may not write to: there by a selected field.
async function copied(words, button) {
  try { await navigator.clipboard.writeText(words); } catch {
    const field = make("textarea", { value: words });
    button.after(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 2000);
}

// The name of a file: the view, and the filters that leave one or two values.
function fileName(kind) {
  const chosen = [...choice.chosen].filter(([name, values]) => values.size < 3 && !["division", "suite", "power"].includes(name));
  const words = [choice.view, ...chosen.flatMap(([, values]) => [...values]), choice.search];
  return `mlperf-${words.map((word) => word.replace(/[^\p{L}\p{N}.]+/gu, "-")).filter(Boolean).join("_").slice(0, 100)}.${kind}`;
}

async function take(kind) {
  await rest;
  const rows = choice.view === "table" ? table.rows : current;
  if (kind === "csv") save(fileName(kind), "text/csv", csv(rows));
  if (kind === "json") save(fileName(kind), "application/json", json(rows));
  if (kind === "svg") save(fileName(kind), "image/svg+xml", new XMLSerializer().serializeToString(picture(rows)));
  if (kind === "png") save(fileName(kind), "image/png", await png(rows));
}
