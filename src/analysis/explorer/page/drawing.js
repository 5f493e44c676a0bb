// Drawing: marks that can be focused, scales, axes. A mark is a button that opens its row; arrows go from mark to mark.

const SVG = "http://www.w3.org/2000/svg";
const PADDED = 1.15;  // what a log axis has on either side of its data, as a factor
const ROUND = [0.25, 0.5, 1, 2, 2.5, 5, 10];  // steps, times a power of ten
const POWERS = [[1, 2, 5], [1, 3], [1], [1, 2, 3, 5, 7], [1, 1.5, 2, 3, 4, 5, 7]];  // the ones that are liked first

function draw(name, attributes = {}, words = null) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (words !== null) made.textContent = words;
  return made;
}

function scale(low, high, from, to, log) {
  const of = log ? Math.log : (value) => value;
  const span = of(high) - of(low) || 1;
  return (value) => from + ((of(value) - of(low)) / span) * (to - from);
}

// Round numbers within a range: at most so many, but three or more of what is drawn where there are as many.
function ticks(low, high, log, most) {
  const found = !log || high / low < 5 ? steps(low, high, most) : POWERS.map((times) => powers(low, high, times));
  const edge = log ? PADDED : 1, enoughOf = (own) => own.filter((at) => at >= low * edge && at <= high / edge).length >= 3;
  const enough = found.filter(enoughOf);
  const chosen = enough.find((own) => own.length <= most) ?? enough.sort((a, b) => a.length - b.length)[0] ?? found.at(-1);
  const each = Math.ceil(chosen.length / most), thinned = chosen.filter((_, place) => place % each === 0);
  return enoughOf(thinned) ? thinned : chosen;
}

// Multiples of a step: of the least of which there are at most so many, and of two finer ones.
function steps(low, high, most) {
  const raw = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(raw));
  const first = ROUND.findIndex((times) => times * power >= raw);
  return [0, 1, 2].map((finer) => {
    const step = ROUND[first - finer] * power, found = [];
    for (let at = Math.ceil(low / step) * step; at <= high * (1 + 1e-9); at += step) found.push(Number(at.toPrecision(12)));
    return found;
  });
}

// These multiples of the powers of ten.
function powers(low, high, times) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const each of times) {
      const at = Number((each * 10 ** power).toPrecision(3));
      if (at >= low * 0.999 && at <= high * 1.001) found.push(at);
    }
  return found;
}

function shortened(value, format = short) {
  if (value >= 1e9) return `${format.format(value / 1e9)}G`;
  if (value >= 1e6) return `${format.format(value / 1e6)}M`;
  return value >= 1e3 ? `${format.format(value / 1e3)}k` : format.format(value);
}

// How numbers that stand together are written: shortened if one of them is large.
function evenly(values, format = short) {
  return Math.max(...values) >= 1e5 ? (value) => shortened(value, format) : (value) => format.format(value);
}

// The words of an axis' ticks: with as many decimals each, where they lie close together.
function axisWords(values) {
  const some = values.filter((value) => value > 0), least = Math.min(...some), most = Math.max(...some);
  const decimals = Math.max(...some.map((value) => String(value).split(".")[1]?.length ?? 0));
  return most / least < 20 && most < 1e3 ? (value) => (value ? value.toFixed(decimals) : "0") : evenly(values);
}

function range(values, log) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low === high) return log ? [low / 2, high * 2] : [0, high * 1.1 || 1];
  return log ? [low / PADDED, high * PADDED] : [0, high * 1.04];
}

function sheet(width, height, label) {
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
}

// What a drawing is of, and below it what it shows of that.
function heading(svg, words, shown, width) {
  inside(svg, { x: 2, y: 16, class: "name" }, words, Math.floor(width / 7.9));
  inside(svg, { x: 2, y: 33, class: "axis" }, shown, Math.floor(width / 6.2));
}

function onLog(title, log) {
  return log ? `${title}, log scale` : title;
}

function horizontalAxis(svg, across, values, top, bottom, title, middle, words = axisWords(values)) {
  for (const value of values) {
    const x = across(value);
    svg.append(draw("line", { x1: x, x2: x, y1: top, y2: bottom, class: "grid-line" }));
    svg.append(draw("text", { x, y: bottom + 15, "text-anchor": "middle", class: "tick" }, words(value)));
  }
  const least = 3.2 * title.length;  // half of its width: a long title begins at the drawing's edge
  svg.append(draw("text", { x: Math.max(least, middle), y: bottom + 32, "text-anchor": "middle", class: "axis" }, title));
}

function verticalAxis(svg, up, values, left, right, title, top) {
  const words = axisWords(values);
  for (const value of values) {
    const y = up(value);
    svg.append(draw("line", { x1: left, x2: right, y1: y, y2: y, class: "grid-line" }));
    svg.append(draw("text", { x: left - 6, y: y + 4, "text-anchor": "end", class: "tick" }, words(value)));
  }
  svg.append(draw("text", { x: 2, y: top - 10, class: "axis" }, title));
}

// A mark says by its form what its row is: hollow where it is not available, a diamond outside the closed division.
function mark(svg, row, x, y, { ink, label = "", radius = 5, open = text("availability", row) !== "available" } = {}) {
  const hollow = open ? " hollow" : "";
  const closed = text("division", row) === "closed";
  const shape = closed
    ? draw("circle", { cx: x, cy: y, r: radius })
    : draw("path", { d: `M${x},${y - radius - 1}l${radius + 1},${radius + 1}l${-radius - 1},${radius + 1}l${-radius - 1},${-radius - 1}z` });
  const told = { ...inked(`mark${hollow}`, ink), role: "button", tabindex: -1, "aria-label": `${label}, ${brief(row)}` };
  for (const key in told) shape.setAttribute(key, told[key]);
  shape.row = row;
  shape.label = label;
  shape.at = [x, y];
  svg.append(shape);
}

function brief(row) {
  const count = said("accelerator_count", row);
  return [`${count ? `${count} x ` : ""}${said("accelerator", row)}`, said("system", row), said("submitter", row),
    said("software", row), said("precision_label", row), said("round", row), said("division", row),
    said("caveats", row)].filter(Boolean).join(", ");
}

// Labels at the right of a drawing, moved apart where they would meet.
function spread(labels, top, bottom, gap = 14) {
  labels.sort((a, b) => a.y - b.y);
  let last = top - gap;
  for (const own of labels) last = own.y = Math.max(own.y, last + gap);
  let next = bottom + gap;
  for (const own of [...labels].reverse()) next = own.y = Math.min(own.y, next - gap);
}

function inside(svg, from, words, most) {
  const made = draw("text", { ...from }, words.length > most ? `${words.slice(0, most - 1)}…` : words);
  if (words.length > most) made.append(draw("title", {}, words));
  svg.append(made);
}
