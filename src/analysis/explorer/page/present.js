// The present: each accelerator in the newest round of a benchmark and scenario, measured there or carried there. Ratios,
// ranks, and shares of accelerators come from it; throughput is as measured, each in its round.

const ALIKE = ["division", "availability", "power", "target", "comparable_since"];
const present = new Map();

async function loadPresent() {
  for (const own of records(await unpacked("present"))) {
    const key = groupOf(own.row), rate = own.gain * number("rate_per_accelerator", own.row);
    if (!present.has(key)) present.set(key, new Map());
    present.get(key).set(text("accelerator", own.row), { ...own, rate, carried: !own.measured });
  }
}

function groupOf(row) {
  return `${text("benchmark", row)}\n${text("scenario", row)}`;
}

// That of a result's accelerator, none for a result of another kind: open division, edge, previews, another target.
function presentOf(row) {
  const now = present.get(groupOf(row))?.get(text("accelerator", row));
  return now && text("suite", row).includes("datacenter") && ALIKE.every((name) => text(name, row) === text(name, now.row)) ? now : undefined;
}

// An accelerator over a baseline with its range: errors of two carried rates add in quadrature.
function over(now, base) {
  const value = now.rate / base.rate, apart = now !== base;
  const away = (own, other) => Math.exp(apart * Math.hypot(Math.log(own), Math.log(other)));
  return { ...now, value, low: value / away(now.low, base.high), high: value * away(now.high, base.low) };
}

// The ratio of a result's accelerator to the baseline; none without either.
function ratioOf(row, baseline = choice.base) {
  const now = presentOf(row), base = present.get(groupOf(row))?.get(baseline);
  return now && base && over(now, base);
}

function ratioWords({ value, low, high }, by = " to ") {
  return `${rounded(value)}x${low < high ? ` (${rounded(low)}${by}${rounded(high)})` : ""}`;
}

// By what accelerators are ordered: the present where it is known, else what was measured.
function standing(row) {
  return STREAMS.has(text("scenario", row)) ? 1 / number("latency_ms", row) : presentOf(row)?.rate ?? number("rate_per_accelerator", row);
}
