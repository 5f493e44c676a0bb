// Throughput and cost at an interactivity, as the reports have them: what each accelerator reaches at the one asked for,
// then over all of them. Curves are of the comparable results of all rounds; the filters choose models, accelerators,
// and the results drawn beside the curves.

const CURVES = new Set(["speed", "cost"]);
const USUAL = 25;  // tokens/s per user, where none is asked for
const ESTIMATED = (step) => step.evidence === "estimated";

function asked() {
  return choice.at === "" || isNaN(choice.at) ? USUAL : Number(choice.at);
}

function atWords(speed) {
  return speed ? `${short.format(speed)} tokens/s per user` : "no limit (Offline)";
}

function curveViews(rows, width, own) {
  const { shown, all } = panels(rows, ["benchmark"], 4, (row) => curveOf(row, own).length > 0);
  const found = drawn(shown, all, rows, (part) => {
    const lines = new Map(part.map((row) => [text("accelerator", row), curveOf(row, own)]));
    const base = lines.get(choice.base), over = new Map(base?.map((step) => [step.interactivity, step[own.of]]));
    const value = (step, name = own.of) => (!base ? step[name] : step.accelerator === choice.base ? 1 : step[name] / over.get(step.interactivity));
    const look = { ...own, value, unit: base ? `x ${called(choice.base)}` : own.unit, says: base ? rounded : own.says, base };
    return [atSpeed(part, lines, width, look), overSpeed(part, lines, width, look)];
  });
  const notes = ["Curves: closed, available data center results of all rounds. Filters choose models, accelerators, and the results beside the curves.",
    choice.base ? "" : found.note, own.less ? "Cost: price per hour over throughput and the share of it that a fleet delivers." : ""];
  return { ...found, note: notes.filter(Boolean).join(" ") };
}

function curveOf(row, own) {
  const steps = text("excluded", row) ? [] : curves.get(text("benchmark", row))?.get(text("accelerator", row)) ?? [];
  return steps.filter((step) => step[own.of] > 0);
}

// The accelerators at the interactivity asked for, results before estimates, with P10 and P90 of the error.
function atSpeed(rows, lines, width, own) {
  const { value, says } = own, speed = asked();
  const steps = [...lines.values()].flatMap((each) => each.filter((step) => step.interactivity === speed && value(step) > 0));
  if (!steps.length) return null;
  steps.sort((a, b) => ESTIMATED(a) - ESTIMATED(b) || (own.less ? value(a) - value(b) : value(b) - value(a)));
  const narrow = width < 560, top = 52, gap = 24, bottom = top + gap * steps.length;
  const left = Math.min(narrow ? 118 : 190, 16 + 7 * Math.max(...steps.map((step) => called(step.accelerator).length)));
  const figures = steps.map((step) => says(value(step))), right = width - 14 - 6.6 * Math.max(...figures.map((words) => words.length));
  const name = `${said("benchmark", rows[0])}, ${atWords(speed)}`, held = `${counted(steps.length, "accelerator")}, results first`;
  const svg = sheet(width, bottom + 40, `${name}: ${held}`);
  heading(svg, name, held, width);
  const [lows, highs] = own.ends.map((end) => steps.map((step) => value(step, end)));
  const log = own.less && Math.max(...highs) / Math.min(...lows) > 30, [low, high] = range([...lows, ...highs], log);
  const across = scale(low, high, left + 8, right, log);
  horizontalAxis(svg, across, ticks(low, high, log, narrow ? 4 : 8), top - 6, bottom, onLog(own.unit, log), (left + right) / 2);
  steps.forEach((step, place) => {
    const y = top + gap * place + 8, ink = about.inks[step.accelerator], [from, to] = own.ends.map((end) => across(value(step, end)));
    inside(svg, { x: left, y: y + 4, "text-anchor": "end", class: "row-name" }, called(step.accelerator), narrow ? 16 : 28);
    svg.append(draw("line", { x1: from, x2: to, y1: y, y2: y, ...inked("line band", ink) }));
    mark(svg, step.row, across(value(step)), y, { ink, open: ESTIMATED(step), label: stepWords(step, own) });
    svg.append(draw("text", { x: Math.max(from, to, across(value(step)) + 5) + 5, y: y + 4, class: "figure" }, figures[place]));
  });
  return svg;
}

function stepWords(step, { value, says, unit, ends }) {
  const served = ends[0] === "usd_low" ? `, ${Math.round(100 * step.served)}% delivered` : "";
  const spread = ends.map((end) => says(value(step, end))).join(" to ");
  return `${called(step.accelerator)} at ${atWords(step.interactivity)}: ${says(value(step))} ${unit} (P10 to P90: ${spread}), ${step.evidence}${served}`;
}

// The curves, dashed where they are estimated, and the selected results by the interactivity of their log or limit.
function overSpeed(rows, lines, width, own) {
  const speedOf = (row) => (text("scenario", row) === "Offline" ? 0 : number("tokens_per_second_per_user", row));
  const runs = own.base ? [] : rows.filter((row) => number(own.run, row) > 0 && speedOf(row) >= 0);
  const steps = [...lines.values()].flat(), ladder = [...new Set(steps.map((step) => step.interactivity))].sort((a, b) => a - b);
  const fast = 1.1 * Math.max(asked(), ...runs.map(speedOf)), end = ladder.find((speed) => speed >= fast) ?? ladder.at(-1);
  const seen = steps.filter((step) => step.interactivity <= end && own.value(step) > 0);
  if (!seen.length) return null;
  const inks = inksOf(lines.keys()), narrow = width < 560, top = 66, bottom = 430, left = narrow ? 50 : 62, right = width - (narrow ? 104 : 190);
  const name = `${said("benchmark", rows[0])}, by interactivity`, held = `${own.base ? "" : `${counted(runs.length, "result")}, `}${named(inks, lines.size)}`;
  const svg = sheet(width, bottom + 44, `${name}: ${held}`);
  heading(svg, name, held, width);
  const across = scale(0, Math.max(end, ...runs.map(speedOf)), left + 8, right, false);
  const [low, high] = range([...seen.map((step) => own.value(step)), ...runs.map((row) => number(own.run, row))], true);
  const up = scale(low, high, bottom, top, true);
  horizontalAxis(svg, across, ticks(0, end, false, narrow ? 4 : 8), top, bottom, narrow ? "tokens/s per user at p99 (0: Offline)"
    : "interactivity: tokens/s per user at p99 (0: no limit, Offline)", (left + right) / 2);
  verticalAxis(svg, up, ticks(low, high, true, 8), left, right, onLog(own.unit, true), top);
  svg.append(draw("line", { x1: across(asked()), x2: across(asked()), y1: top, y2: bottom, class: "asked" }));
  const labels = [];
  for (const [accelerator, all] of lines) {
    const points = all.filter((step) => seen.includes(step)), ink = inks.get(accelerator), place = (step) => `${across(step.interactivity)},${up(own.value(step))}`;
    if (!points.length) continue;
    const known = points.filter((step) => !ESTIMATED(step)), beyond = points.slice(Math.max(0, known.length - 1));
    svg.append(draw("path", { d: `M${known.map(place).join("L") || place(points[0])}`, ...inked("line", ink) }));
    svg.append(draw("path", { d: `M${beyond.map(place).join("L")}`, "stroke-dasharray": "4 4", ...inked("line", ink) }));
    if (ink) labels.push({ y: up(own.value(points.at(-1))), words: called(accelerator), ink });
  }
  const taken = new Set();
  for (const row of runs.sort((a, b) => number(own.run, b) - number(own.run, a))) {
    const at = [across(speedOf(row)), up(number(own.run, row))], ink = inks.get(text("accelerator", row));
    const cell = `${Math.round(at[0] / 3)},${Math.round(at[1] / 3)},${ink ?? ""}`;
    if (taken.has(cell)) continue;  // as in `scatter`
    taken.add(cell);
    mark(svg, row, ...at, { ink, radius: 3.5, label: `${own.says(number(own.run, row))} ${own.unit}, ${atWords(speedOf(row))}` });
  }
  svg.rows = runs;
  endLabels(svg, labels, right + 10, top, bottom, narrow ? 14 : 26);
  return svg;
}
