// Drawing: marks that can be focused, scales, axes. A mark is a button that opens its row; arrows go from mark to mark.

const SVG = "http://www.w3.org/2000/svg";

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

// Round numbers within a range: 1, 2 and 5 times powers of ten, fewer where there would be too many.
function ticks(low, high, log, most) {
  if (!log || high / low < 5) {
    const raw = (high - low) / most || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((times) => times * power >= raw);
    const found = [];
    for (let at = Math.ceil(low / step) * step; at <= high * (1 + 1e-9); at += step) found.push(Number(at.toPrecision(12)));
    return found;
  }
  for (const times of [[1, 2, 5], [1, 3], [1]]) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const each of times) {
        const at = Number((each * 10 ** power).toPrecision(3));
        if (at >= low * 0.999 && at <= high * 1.001) found.push(at);
      }
    if (found.length <= most || times.length === 1) {
      const every = Math.ceil(found.length / most);
      return found.filter((_, place) => place % every === 0);
    }
  }
}

function tickWords(value) {
  if (value >= 1e9) return `${short.format(value / 1e9)}G`;
  if (value >= 1e6) return `${short.format(value / 1e6)}M`;
  return value >= 1e4 ? `${short.format(value / 1e3)}k` : short.format(value);
}

function range(values, log) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low === high) return log ? [low / 2, high * 2] : [0, high * 1.1 || 1];
  return log ? [low / 1.15, high * 1.15] : [0, high * 1.04];
}

function sheet(width, height, label) {
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
}

function heading(svg, words, width) {
  inside(svg, { x: 2, y: 16, class: "name" }, words, Math.floor(width / 7.9));
}

function horizontalAxis(svg, across, values, top, bottom, title, middle, words = tickWords) {
  for (const value of values) {
    const x = across(value);
    svg.append(draw("line", { x1: x, x2: x, y1: top, y2: bottom, class: "grid-line" }));
    svg.append(draw("text", { x, y: bottom + 15, "text-anchor": "middle", class: "tick" }, words(value)));
  }
  svg.append(draw("text", { x: middle, y: bottom + 32, "text-anchor": "middle", class: "axis" }, title));
}

function verticalAxis(svg, up, values, left, right, title, top) {
  for (const value of values) {
    const y = up(value);
    svg.append(draw("line", { x1: left, x2: right, y1: y, y2: y, class: "grid-line" }));
    svg.append(draw("text", { x: left - 6, y: y + 4, "text-anchor": "end", class: "tick" }, tickWords(value)));
  }
  svg.append(draw("text", { x: 2, y: top - 10, class: "axis" }, title));
}

// A mark says by its form what its row is: hollow where it is not on sale, a diamond outside the closed division.
function mark(svg, row, x, y, { ink = "", label = "", radius = 5 } = {}) {
  const hollow = text("availability", row) !== "available" ? " hollow" : "";
  const closed = text("division", row) === "closed";
  const shape = closed
    ? draw("circle", { cx: x, cy: y, r: radius })
    : draw("path", { d: `M${x},${y - radius - 1}l${radius + 1},${radius + 1}l${-radius - 1},${radius + 1}l${-radius - 1},${-radius - 1}z` });
  const told = { class: `mark${hollow} ${ink}`, role: "button", tabindex: -1, "aria-label": `${label}, ${brief(row)}` };
  for (const key in told) shape.setAttribute(key, told[key]);
  shape.row = row;
  shape.label = label;
  shape.at = [x, y];
  svg.append(shape);
}

function brief(row) {
  const count = said("accelerator_count", row);
  return [`${count ? `${count} x ` : ""}${said("accelerator", row)}`, said("system", row), said("submitter", row),
    said("software", row), said("precision", row), said("round", row), said("division", row),
    said("notes", row)].filter(Boolean).join(", ");
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
