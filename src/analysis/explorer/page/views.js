// The views of the selected rows. Each draws panels of rows that measure one thing: a benchmark in a scenario.

const STREAMS = new Set(["SingleStream", "MultiStream"]);
const SCENARIOS = ["Offline", "Server", "Interactive"];  // in each of which a system's rate is measured
const OF_RATIOS = new Set(["ranked", "scenarios", "matrix", "table"]);  // views
const NAMED = 18;  // accelerators whose lines are named at their ends

function panels(rows, keys, most, worth) {
  const found = new Map();
  for (const row of rows) {
    if (!worth(row)) continue;
    const key = keys.map((name) => text(name, row)).join("\n");
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(row);
  }
  const ordered = [...found.values()];  // the rows are in the order in which people look for them, and so are these
  return { shown: ordered.slice(0, most), all: ordered.length };
}

function title(keys, row) {
  return keys.map((name) => said(name, row)).join(", ");
}

function measure(row) {
  return STREAMS.has(text("scenario", row)) ? number("latency_ms", row) : number("rate_per_accelerator", row);
}

function unitOf(row) {
  return STREAMS.has(text("scenario", row)) ? "latency (ms per query, lower is better)"
    : `${text("rate_unit", row)} per accelerator`;
}

const VIEWS = {
  ranked(rows, width) {
    const keys = ["benchmark", "scenario"];
    const { shown, all } = panels(rows, keys, 4, (row) => measure(row) > 0);
    const most = shown.length > 1 ? 8 : allShown ? 999 : 24;
    return drawn(shown, all, rows, (own) => (own.some((row) => ratioOf(row)) ? ratios : ranking)(own, keys, width, most));
  },
  scenarios(rows, width) {
    const { shown, all } = panels(rows, ["benchmark"], 4, (row) => number("rate_per_accelerator", row) > 0);
    return drawn(shown, all, rows, (own) => slopes(own, width));
  },
  rounds(rows, width) {
    const keys = ["benchmark", "scenario"];
    const { shown, all } = panels(rows, keys, 4, (row) => measure(row) > 0);
    const time = (row) => Date.parse(about.published[text("round", row)]);
    return drawn(shown, all, rows, (own) => scatter(own, keys, width, { x: time, y: measure, dates: true, lines: "x",
      across: "publication date of the round", up: unitOf(own[0]) }));
  },
  scaling(rows, width) {
    const keys = ["benchmark", "scenario"];
    const { shown, all } = panels(rows, keys, 4, (row) => number("rate", row) > 0);
    return drawn(shown, all, rows, (own) => scatter(own, keys, width, { x: (row) => number("accelerator_count", row),
      y: (row) => number("rate", row), lines: "x", counts: true, across: "accelerators per system",
      up: `${text("rate_unit", own[0])} per system` }));
  },
  kilowatt(rows, width) {
    const keys = ["benchmark", "scenario"], of = (row) => number("per_kilowatt", row);
    const { shown, all } = panels(rows, keys, 4, (row) => of(row) > 0);
    return drawn(shown, all, rows, (own) => ranking(own, keys, width, shown.length > 1 ? 8 : 999,
      { of, unit: `${text("rate_unit", own[0])} per all-in kilowatt, modeled` }));
  },
  energy(rows, width) {
    const keys = ["benchmark", "scenario"];
    const rate = (row) => (STREAMS.has(text("scenario", row)) ? 1000 / number("latency_ms", row) : number("rate", row));
    const { shown, all } = panels(rows, keys, 4, (row) => number("joules", row) > 0 && rate(row) > 0);
    return drawn(shown, all, rows, (own) => scatter(own, keys, width, { x: rate, y: (row) => number("joules", row), less: true,
      across: STREAMS.has(text("scenario", own[0])) ? "queries per second, single stream"
        : `${text("rate_unit", own[0])} per system`,
      up: STREAMS.has(text("scenario", own[0])) ? "joules per query" : `joules per ${work(own[0])}` }));
  },
  speed(rows, width) {
    return curveViews(rows, width, { of: "throughput", ends: ["low", "high"], run: "rate_per_accelerator", less: false,
      unit: "output tokens/s per accelerator", says: rounded });
  },
  cost(rows, width) {
    return curveViews(rows, width, { of: "usd_per_million", ends: ["usd_low", "usd_high"], run: "usd_per_million", less: true,
      unit: "dollars per million delivered tokens, modeled", says: (value) => `$${rounded(value)}` });
  },
  matrix(rows, width) {
    const { shown, all } = panels(rows, ["scenario"], 3, (row) => measure(row) > 0);
    return drawn(shown, all, rows, (own) => matrix(own, width));
  },
};

function work(row) {
  return { "tokens/s": "token", "samples/s": "sample", "queries/s": "query", "videos/hour": "video" }[text("rate_unit", row)];
}

// Why a view is empty, and a way out.
function wanting(rows) {
  const without = leftOut(rows), able = rows.length > rows.filter((row) => text("excluded", row)).length;
  const words = able ? "No selected result has the data of this view." : `No selected result is comparable: ${listed(without)}.`;
  const button = make("button", { type: "button" }, "Show results of this view");
  button.addEventListener("click", () => change({ view: choice.view, chosen: selectionOf(choice.view) }));
  return make("div", { className: "nothing" }, make("p", {}, words), button);
}

// Panels below each other, with what of the choice they do not show.
function drawn(shown, all, rows, panel) {
  const sheets = shown.map((own) => [panel(own)].flat());
  const drawnRows = shown.flatMap((own, at) => sheets[at].at(-1)?.rows ?? own), seen = drawnRows.length;
  const without = leftOut(rows);
  const parts = [`Shown: ${whole.format(seen)} of ${counted(rows.length, "selected result")}`];
  if (all > shown.length) parts.push(`${shown.length} of ${all} panels: select a benchmark and a scenario`);
  const compares = OF_RATIOS.has(choice.view) && rows.some((row) => ratioOf(row));
  if (choice.base && OF_RATIOS.has(choice.view) && !compares)
    parts.push(`no ratio to ${called(choice.base)}: ratios are of available data center systems in the closed division`);
  if (without.length) parts.push(`not comparable: ${listed(without)}`);
  const differ = compares ? "" : mixedWords(drawnRows, about.differ);
  if (differ) parts.push(`these differ: ${differ}`);
  return { sheets: sheets.flat().filter(Boolean), note: `${parts.join("; ")}.`, seen: drawnRows };
}

function byAccelerator(rows, value, less) {
  const groups = new Map();
  for (const row of rows) {
    const name = text("accelerator", row);
    if (!groups.has(name)) groups.set(name, { name, rows: [], best: row });
    const own = groups.get(name);
    own.rows.push(row);
    if (less ? value(row) < value(own.best) : value(row) > value(own.best)) own.best = row;
  }
  return [...groups.values()].sort((a, b) => (less ? value(a.best) - value(b.best) : value(b.best) - value(a.best)));
}

// Accelerators one below the other, each with a value, its range, and its row.
function banded(name, held, steps, width, { says, unit, log = false }) {
  const narrow = width < 560, top = 52, gap = 24, bottom = top + gap * steps.length;
  const left = Math.min(narrow ? 118 : 190, 16 + 7 * Math.max(...steps.map((step) => called(step.accelerator).length)));
  const figures = steps.map((step) => says(step.value)), right = width - 14 - 6.6 * Math.max(...figures.map((words) => words.length));
  const svg = sheet(width, bottom + 40, `${name}: ${held}`);
  heading(svg, name, held, width);
  const [low, high] = range(steps.flatMap((step) => [step.low, step.high]), log), across = scale(low, high, left + 8, right, log);
  horizontalAxis(svg, across, ticks(low, high, log, narrow ? 4 : 8), top - 6, bottom, onLog(unit, log), (left + right) / 2);
  steps.forEach((step, place) => {
    const y = top + gap * place + 8, ink = about.inks[step.accelerator], [from, to, at] = [step.low, step.high, step.value].map(across);
    inside(svg, { x: left, y: y + 4, "text-anchor": "end", class: "row-name" }, called(step.accelerator), narrow ? 16 : 28);
    svg.append(draw("line", { x1: from, x2: to, y1: y, y2: y, ...inked("line band", ink) }));
    mark(svg, step.row, at, y, { ink, open: step.open, label: step.label });
    svg.append(draw("text", { x: Math.max(from, to, at + 5) + 5, y: y + 4, class: "figure" }, figures[place]));
  });
  return svg;
}

// The accelerators of these rows over the baseline, which has its own line.
function ratios(rows, keys, width, most) {
  const now = present.get(groupOf(rows[0])), base = now.get(choice.base);
  const named = new Set(rows.filter((row) => presentOf(row)).map((row) => text("accelerator", row)).concat(choice.base));
  const steps = [...named].map((accelerator) => ({ accelerator, ...over(now.get(accelerator), base) })).sort((a, b) => b.value - a.value);
  const shown = steps.slice(0, most).map((step) => ({ ...step, open: step.carried,
    label: `${called(step.accelerator)}: ${ratioWords(step)} ${called(choice.base)}, ${step.carried ? `carried from ${said("round", step.row)}` : "measured"}` }));
  const newest = [...now.values()].find((step) => !step.carried);
  const held = `${some(shown.length, steps.length, "accelerator")} at the software of ${said("round", newest.row)}`;
  const svg = banded(`${title(keys, rows[0])}, over ${called(choice.base)}`, held, shown, width,
    { says: rounded, unit: `x ${called(choice.base)}, throughput per accelerator` });
  svg.all = steps.length;
  return svg;
}

function ranking(rows, keys, width, most, { of = measure, unit = unitOf(rows[0]) } = {}) {
  const less = of === measure && STREAMS.has(text("scenario", rows[0]));
  const groups = byAccelerator(rows, of, less);
  // Results of several rounds are of unlike software: their order is that of the present.
  const place = ({ best }) => (of(best) * standing(best)) / measure(best);
  if (!less && different("round", rows) > 1) groups.sort((a, b) => place(b) - place(a));
  const shown = groups.slice(0, most);
  const longest = Math.max(...shown.map((own) => called(own.name).length));
  const narrow = width < 560, left = Math.min(narrow ? 118 : 190, 16 + 7 * longest), top = 52, step = 24;
  // The number stands beside the best mark, on its free side: before the first where less is better, else behind the last.
  const figures = shown.map((own) => rounded(of(own.best)));
  const wide = (words) => 14 + 6.6 * words.length, room = Math.max(...figures.map(wide)), right = width - (less ? 12 : room);
  const bottom = top + shown.length * step;
  const name = title(keys, rows[0]), held = `${some(shown.length, groups.length, "accelerator")}${choice.chosen.has("accelerator_count") ? "" : ", systems of all sizes"}`;
  const svg = sheet(width, bottom + 40, `${name}: ${held}`);
  heading(svg, name, held, width);
  const values = shown.flatMap((own) => own.rows.map(of));
  const log = Math.max(...values) / Math.min(...values) > 500;
  svg.all = groups.length;
  const [low, high] = range(values, log);
  const across = scale(low, high, left + (less ? room : 8), right, log);
  horizontalAxis(svg, across, ticks(low, high, log, narrow ? 4 : 8), top - 6, bottom, onLog(unit, log), (left + right) / 2);
  shown.forEach((own, place) => {
    const y = top + place * step + 8, x = across(of(own.best));
    const from = less ? left + 8 : across(low), to = less ? x - wide(figures[place]) : x;
    if (!log && to > from + 6) svg.append(draw("line", { x1: from, x2: to, y1: y, y2: y, class: "stem" }));
    inside(svg, { x: left, y: y + 4, "text-anchor": "end", class: "row-name" }, called(own.name), narrow ? 16 : 28);
    const taken = new Set();
    for (const row of own.rows) {
      const at = Math.round(across(of(row)));
      if (taken.has(at)) continue;  // A mark right behind another adds nothing; the table has each result.
      taken.add(at);
      mark(svg, row, across(of(row)), y, { ink: about.inks[own.name], label: `${said("accelerator", row)}: ${rounded(of(row))} ${unit}` });
    }
    svg.append(draw("text", { x: less ? x - 9 : x + 9, y: y + 4, "text-anchor": less ? "end" : "start", class: "figure" }, figures[place]));
  });
  return svg;
}

function slopes(rows, width) {
  const compares = rows.some((row) => ratioOf(row)), systems = new Map();  // with a baseline, accelerators by their ratio to it
  const value = compares ? (row) => ratioOf(row).value : measure;
  for (const row of rows) {
    if (!SCENARIOS.includes(text("scenario", row))) continue;
    if (compares && !ratioOf(row)) continue;
    const key = (compares ? ["accelerator"] : ["system_key", "accuracy_target", "power"]).map((name) => text(name, row)).join("\n");
    if (!systems.has(key)) systems.set(key, new Map());
    const own = systems.get(key), before = own.get(text("scenario", row));
    if (compares) own.set(text("scenario", row), presentOf(row).row);
    else if (before === undefined || measure(row) > measure(before)) own.set(text("scenario", row), row);
  }
  const lines = [...systems.values()].filter((own) => own.size > 1)
    .sort((a, b) => Math.max(...[...b.values()].map(value)) - Math.max(...[...a.values()].map(value)));
  if (!lines.length) return null;
  const shown = lines.slice(0, 60), there = SCENARIOS.filter((name) => shown.some((own) => own.has(name)));
  const narrow = width < 560, top = 66, bottom = 400, left = narrow ? 48 : 60, right = width - (narrow ? 100 : 190);
  const accelerators = shown.map((own) => text("accelerator", own.values().next().value)), inks = inksOf(accelerators);
  const name = `${said("benchmark", rows[0])}, ${compares ? `over ${called(choice.base)}, newest round of each scenario` : "systems with several scenarios"}`;
  const held = `${compares ? "" : `${some(systemsOf(shown), systemsOf(lines), "system")}, `}${named(inks, new Set(accelerators).size)}`;
  const svg = sheet(width, bottom + 40, `${name}: ${held}`);
  heading(svg, name, held, width);
  const values = shown.flatMap((own) => [...own.values()].map(value));
  const [low, high] = range(values, true);
  const up = scale(low, high, bottom, top, true), across = (scenario) => left + 12 + ((right - left - 24) * there.indexOf(scenario)) / Math.max(1, there.length - 1);
  const unit = compares ? `x ${called(choice.base)}, throughput per accelerator` : unitOf(shown[0].values().next().value);
  verticalAxis(svg, up, ticks(low, high, true, 8), left, right, onLog(unit, true), top);
  for (const scenario of there)
    svg.append(draw("text", { x: across(scenario), y: bottom + 20, "text-anchor": "middle", class: "tick" }, scenario));
  const labels = new Map();
  for (const own of shown) {
    const points = there.filter((scenario) => own.has(scenario)).map((scenario) => own.get(scenario));
    const accelerator = text("accelerator", points[0]), ink = inks.get(accelerator);
    const path = points.map((row) => `${across(text("scenario", row))},${up(value(row))}`).join("L");
    svg.append(draw("path", { d: `M${path}`, ...inked("line", ink) }));
    if (ink && !labels.has(accelerator)) labels.set(accelerator, { y: up(value(points.at(-1))), words: called(accelerator), ink });
  }
  for (const own of shown)
    for (const row of own.values())
      mark(svg, row, across(text("scenario", row)), up(value(row)), { ink: inks.get(text("accelerator", row)), radius: 4,
        open: compares ? ratioOf(row).carried : undefined, label: `${said("scenario", row)}: ${rounded(value(row))} ${unit}` });
  endLabels(svg, [...labels.values()], right + 10, top, bottom, narrow ? 14 : 26);
  return svg;
}

function systemsOf(lines) {
  return new Set(lines.map((own) => text("system_key", own.values().next().value))).size;
}

// The accelerators that have a color of their own, the same in all views and reports; others are gray.
function inksOf(names) {
  return new Map([...new Set(names)].filter((name) => about.inks[name]).map((name) => [name, about.inks[name]]));
}

function inked(kind, ink) {
  return ink ? { class: `${kind} inked`, style: ink } : { class: `${kind} other` };
}

function named(inks, all) {
  return inks.size < all ? `${inks.size} of ${all} accelerators in color` : counted(all, "accelerator");
}

function endLabels(svg, labels, x, top, bottom, most) {
  const shown = labels.slice(0, NAMED);
  spread(shown, top, bottom);
  for (const own of shown) {
    svg.append(draw("circle", { cx: x, cy: own.y, r: 4, ...inked("dot", own.ink) }));
    inside(svg, { x: x + 9, y: own.y + 4, class: "end" }, own.words, most);
  }
}

function scatter(rows, keys, width, { x, y, across, up, dates = false, counts = false, lines = "", less = false }) {
  const known = rows.filter((row) => x(row) > 0 && y(row) > 0);
  if (!known.length) return null;
  const lessIsBetter = less || (y === measure && STREAMS.has(text("scenario", rows[0])));
  const groups = byAccelerator(known, y, lessIsBetter);
  const inks = inksOf(groups.map((own) => own.name));
  const narrow = width < 560, top = 66, bottom = 430, left = narrow ? 50 : 62, right = width - (narrow ? 104 : 190);
  const name = title(keys, rows[0]), held = `${counted(known.length, "result")}, ${named(inks, groups.length)}`;
  const svg = sheet(width, bottom + 44, `${name}: ${held}`);
  heading(svg, name, held, width);
  const xs = known.map(x), [low, high] = dates ? padded(xs) : range(xs, true);
  const [least, greatest] = range(known.map(y), true);
  const rightOf = scale(low, high, left + 8, right, !dates), above = scale(least, greatest, bottom, top, true);
  const rounds = new Map(known.map((row) => [x(row), said("round", row)]));
  const marks = dates || counts ? [...new Set(xs)].sort((a, b) => a - b) : ticks(low, high, true, narrow ? 4 : 8);
  horizontalAxis(svg, rightOf, apart(marks, rightOf, narrow ? 34 : 40), top, bottom, onLog(across, !dates), (left + right) / 2,
    dates ? (value) => rounds.get(value) : undefined);
  verticalAxis(svg, above, ticks(least, greatest, true, 8), left, right, onLog(up, true), top);
  const labels = [];
  for (const own of groups.filter((each) => inks.has(each.name))) {
    const ink = inks.get(own.name);
    let last = own.best;
    if (lines) {
      const bests = new Map();
      for (const row of own.rows) {
        const before = bests.get(x(row));
        if (before === undefined || (lessIsBetter ? y(row) < y(before) : y(row) > y(before))) bests.set(x(row), row);
      }
      const points = [...bests.values()].sort((a, b) => x(a) - x(b));
      last = points.at(-1);
      if (points.length > 1)
        svg.append(draw("path", { d: `M${points.map((row) => `${rightOf(x(row))},${above(y(row))}`).join("L")}`, ...inked("line", ink) }));
    }
    labels.push({ y: above(y(last)), words: called(own.name), ink });
  }
  const taken = new Set();
  for (const row of [...known].sort((a, b) => y(b) - y(a))) {
    const at = [rightOf(x(row)), above(y(row))], ink = inks.get(text("accelerator", row));
    const cell = `${Math.round(at[0] / 3)},${Math.round(at[1] / 3)},${ink ?? ""}`;
    if (taken.has(cell)) continue;  // A mark behind another of its kind, within three pixels, adds nothing.
    taken.add(cell);
    mark(svg, row, ...at, { ink, radius: 4.5, label: `${rounded(y(row))} ${up}, ${dates ? rounds.get(x(row)) : `${rounded(x(row))} ${across}`}` });
  }
  endLabels(svg, labels, right + 10, top, bottom, narrow ? 14 : 26);
  return svg;
}

function padded(values) {
  const low = Math.min(...values), high = Math.max(...values), more = (high - low) * 0.04 || 864e5 * 30;
  return [low - more, high + more];
}

function apart(values, place, gap) {
  let last = -Infinity;
  return values.filter((value) => {
    if (place(value) - last < gap) return false;
    last = place(value);
    return true;
  });
}

function some(count, all, thing) {
  return count < all ? `${count} of ${counted(all, thing)}` : counted(all, thing);
}

// The speed of each accelerator where not all ran the same benchmarks: log rate = speed + level of the benchmark, fitted by
// least squares, each side in turn.
function speeds(cells) {
  const sides = ["part", "model"].map((name) => {
    const names = [...new Set(cells.map((cell) => cell[name]))], places = new Map(names.map((each, at) => [each, at]));
    const at = cells.map((cell) => places.get(cell[name])), counts = names.map((_, place) => at.filter((each) => each === place).length);
    return { names, at, counts, values: new Float64Array(names.length) };
  });
  for (let turn = 0; turn < 400; turn++) {
    const [own, other] = turn % 2 ? sides : [sides[1], sides[0]], sums = new Float64Array(own.names.length);
    cells.forEach((cell, place) => { sums[own.at[place]] += cell.log - other.values[other.at[place]]; });
    own.values = sums.map((sum, place) => sum / own.counts[place]);
  }
  return new Map(sides[0].names.map((name, place) => [name, sides[0].values[place]]));
}

// Accelerators by benchmarks: the best of each in one scenario, the fastest accelerators first.
function matrix(rows, width) {
  const able = rows.filter((row) => ratioOf(row)), compares = able.length > 0;
  if (compares) rows = able;
  const less = STREAMS.has(text("scenario", rows[0])), models = new Map(), leads = new Map(), parts = new Set(), best = new Map();
  const better = (one, other) => (less ? measure(one) < measure(other) : measure(one) > measure(other));
  for (const row of rows) {
    const model = text("benchmark", row), part = text("accelerator", row), key = `${model}\n${part}`;
    if (!best.has(key) || better(row, best.get(key))) best.set(key, row);
    if (!models.has(model) || better(row, models.get(model))) models.set(model, row);
    leads.set(model, Math.max(leads.get(model) ?? 0, standing(row)));
    parts.add(part);
  }
  const share = (row) => standing(row) / leads.get(text("benchmark", row));
  const narrow = width < 560, left = narrow ? 96 : 150, wide = narrow ? 60 : 74, high = 26, top = 128;
  const spans = [...models.keys()].filter((model) => [...parts].filter((part) => best.has(`${model}\n${part}`)).length > 2);
  const across = (spans.length ? spans : [...models.keys()]).slice(0, Math.max(3, Math.floor((width - left - (narrow ? 16 : 50)) / wide)));
  const cells = [...best.values()].map((row) => ({ model: text("benchmark", row), part: text("accelerator", row), log: Math.log(share(row)) }));
  const speed = speeds(cells.filter((cell) => across.includes(cell.model)));
  const down = [...speed.keys()].sort((a, b) => (b === choice.base) - (a === choice.base) || speed.get(b) - speed.get(a));
  const shown = down.slice(0, allShown ? 999 : 40);
  const name = `${said("scenario", rows[0])}: ${compares ? `over ${called(choice.base)}` : `best ${less ? "latency (ms)" : "throughput per accelerator"}`}`;
  const held = `${some(across.length, models.size, "benchmark")}, ${some(shown.length, parts.size, "accelerator")}${narrow ? "" : compares ? ", fastest first below the baseline; dashed: carried" : ", fastest first; dashed: not available"}`;
  const svg = sheet(width, top + shown.length * high + 12, `${name}: ${held}`);
  heading(svg, name, held, width);
  across.forEach((model, place) => {
    const x = left + place * wide + wide / 2;
    inside(svg, { transform: `translate(${x - 8} ${top - 20}) rotate(-35)`, class: "tick" }, worded("benchmark", model), 22);
    if (!compares && !less) inside(svg, { x, y: top - 6, "text-anchor": "middle", class: "unit" }, text("rate_unit", models.get(model)), 12);
    const own = shown.map((part) => best.get(`${model}\n${part}`)), there = own.filter((row) => row !== undefined);
    const numbers = evenly(there.length ? there.map(measure) : [0], three);
    own.forEach((row, at) => {
      if (row === undefined) return;
      const ratio = ratioOf(row);
      const y = top + at * high;
      const words = ratio ? `${three.format(ratio.value)}x` : measure(row) >= 1e5 ? numbers(Number(measure(row).toPrecision(3))) : rounded(measure(row));
      const hollow = (ratio ? ratio.carried : text("availability", row) !== "available") ? " hollow" : "";
      const group = draw("g", { class: `mark cell${hollow}`, role: "button", tabindex: -1,
        "aria-label": `${worded("benchmark", model)} on ${said("accelerator", row)}: ${words}, ${brief(row)}` });
      group.append(draw("rect", { x: left + place * wide + 1, y: y + 1, width: wide - 2, height: high - 2, rx: 3, class: "tint", style: `--share:${share(row).toFixed(2)}` }));
      group.append(draw("text", { x: left + place * wide + wide / 2, y: y + 17, "text-anchor": "middle", class: "figure" }, words));
      group.row = row;
      group.at = [left + place * wide + wide / 2, y + high / 2];
      svg.append(group);
    });
  });
  svg.all = down.length > 40 ? down.length : 0;
  svg.rows = shown.flatMap((part) => across.map((model) => best.get(`${model}\n${part}`))).filter((row) => row !== undefined);
  shown.forEach((part, at) => inside(svg, { x: left - 8, y: top + at * high + 17, "text-anchor": "end", class: "row-name" }, called(part), narrow ? 14 : 20));
  return svg;
}
