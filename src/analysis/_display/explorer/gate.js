// What rows mix. Each row carries the gate's verdict as bits, one per question that includes it: rows are comparable
// where one question includes all of them, and that is all that is decided here.

// Only rows of one benchmark and scenario are compared, so each such group is judged by itself.
function mixtures(rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = columns.get("benchmark").places[row] * 100 + columns.get("scenario").places[row];
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  const mixed = [];
  for (const { bits, column, words } of about.mixed) {
    const { numbers } = columns.get(bits), values = new Set();
    for (const own of groups.values()) {
      let common = -1;
      for (const row of own) common &= numbers[row];
      if (own.length > 1 && common === 0) for (const row of own) values.add(said(column, row));
    }
    values.delete("");
    values.delete("not stated");
    if (values.size) mixed.push({ words, values: [...values] });
  }
  return mixed;
}

function banner(rows, who = "this view mixes") {
  const said = mixtures(rows).map(({ words, values }) => {
    const shown = values.length > 5 ? `${values.slice(0, 4).join(", ")} and ${values.length - 4} more` : listed(values);
    return words.startsWith("runs") ? words : `${words} (${shown})`;
  });
  return said.length ? `Caution: ${who} ${listed(said)}.` : "";
}

// Rows that no comparison includes, counted by the gate's reason.
function leftOut(rows) {
  const counts = new Map();
  for (const row of rows) {
    const code = text("excluded", row);
    if (code) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts].map(([code, count]) => `${whole.format(count)} (${about.excluded[code]})`);
}
