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
    return [atSpeed(part, lines, width, own), overSpeed(part, lines, width, own)];
  });
  const notes = ["Curves: closed, available data center results of all rounds. Filters choose models, accelerators, and the results beside the curves.",
    found.note, own.less ? "Cost: price per hour over throughput at the newest round's software and the share of it that a fleet delivers." : ""];
  return { ...found, note: notes.filter(Boolean).join(" ") };
}

// The steps of a result's accelerator, each with the value of the view and P10 and P90 of its error.
function curveOf(row, { of, ends: [low, high] }) {
  const steps = text("excluded", row) ? [] : curves.get(text("benchmark", row))?.get(text("accelerator", row)) ?? [];
  return steps.filter((step) => step[of] > 0).map((step) => ({ ...step, value: step[of], low: step[low], high: step[high] }));
}

// The accelerators at the interactivity asked for, results before estimates.
function atSpeed(rows, lines, width, own) {
  const steps = [...lines.values()].flat().filter((step) => step.interactivity === asked());
  if (!steps.length) return null;
  steps.sort((a, b) => ESTIMATED(a) - ESTIMATED(b) || (own.less ? a.value - b.value : b.value - a.value));
  const told = steps.map((step) => ({ ...step, open: ESTIMATED(step), label: stepWords(step, own) }));
  const log = own.less && Math.max(...steps.map((step) => step.high)) / Math.min(...steps.map((step) => step.low)) > 30;
  return banded(`${said("benchmark", rows[0])}, ${atWords(asked())}`, `${counted(steps.length, "accelerator")}, results first`, told, width, { ...own, log });
}

function stepWords(step, { says, unit, less }) {
  const served = less ? `, ${Math.round(100 * step.served)}% delivered` : "";
  return `${called(step.accelerator)} at ${atWords(step.interactivity)}: ${says(step.value)} ${unit.replace("dollars ", "")} (P10 to P90: ${says(step.low)} to ${says(step.high)}), ${step.evidence}${served}`;
}

// The curves, dashed where they are estimated, and the selected results by the interactivity of their log or limit.
function overSpeed(rows, lines, width, own) {
  const speedOf = (row) => (text("scenario", row) === "Offline" ? 0 : number("tokens_per_second_per_user", row));
  const runs = rows.filter((row) => number(own.run, row) > 0 && speedOf(row) >= 0);
  const steps = [...lines.values()].flat(), ladder = [...new Set(steps.map((step) => step.interactivity))].sort((a, b) => a - b);
  const fast = 1.1 * Math.max(asked(), ...runs.map(speedOf)), end = ladder.find((speed) => speed >= fast) ?? ladder.at(-1);
  const seen = steps.filter((step) => step.interactivity <= end);
  if (!seen.length) return null;
  const inks = inksOf(lines.keys()), narrow = width < 560, top = 66, bottom = 430, left = narrow ? 50 : 62, right = width - (narrow ? 104 : 190);
  const name = `${said("benchmark", rows[0])}, by interactivity`, held = `${counted(runs.length, "result")}, ${named(inks, lines.size)}`;
  const svg = sheet(width, bottom + 44, `${name}: ${held}`);
  heading(svg, name, held, width);
  const across = scale(0, Math.max(end, ...runs.map(speedOf)), left + 8, right, false);
  const [low, high] = range([...seen.map((step) => step.value), ...runs.map((row) => number(own.run, row))], true);
  const up = scale(low, high, bottom, top, true);
  horizontalAxis(svg, across, ticks(0, end, false, narrow ? 4 : 8), top, bottom, narrow ? "tokens/s per user at p99 (0: Offline)"
    : "interactivity: tokens/s per user at p99 (0: no limit, Offline)", (left + right) / 2);
  verticalAxis(svg, up, ticks(low, high, true, 8), left, right, onLog(own.unit, true), top);
  svg.append(draw("line", { x1: across(asked()), x2: across(asked()), y1: top, y2: bottom, class: "asked" }));
  const labels = [];
  for (const [accelerator, all] of lines) {
    const points = all.filter((step) => step.interactivity <= end), ink = inks.get(accelerator), place = (step) => `${across(step.interactivity)},${up(step.value)}`;
    if (!points.length) continue;
    const known = points.filter((step) => !ESTIMATED(step)), beyond = points.slice(Math.max(0, known.length - 1));
    svg.append(draw("path", { d: `M${known.map(place).join("L") || place(points[0])}`, ...inked("line", ink) }));
    svg.append(draw("path", { d: `M${beyond.map(place).join("L")}`, "stroke-dasharray": "4 4", ...inked("line", ink) }));
    if (ink) labels.push({ y: up(points.at(-1).value), words: called(accelerator), ink });
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
