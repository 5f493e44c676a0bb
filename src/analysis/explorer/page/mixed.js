// What rows mix. Only rows of one benchmark and scenario are compared, so each such group is judged by itself, by the
// columns that keep results apart (divisions, suites, ...) or by those that a reader should know to differ (rounds, ...).

function mixtures(rows, judged) {
  const groups = new Map();
  for (const row of rows) {
    if (text("excluded", row)) continue;
    const key = columns.get("benchmark").places[row] * 100 + columns.get("scenario").places[row];
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  const mixed = [];
  for (const [column, words] of judged) {
    const { values, places } = columns.get(column), told = new Set();
    for (const own of groups.values()) {
      const found = [...new Set(own.map((row) => places[row]))].filter((place) => values[place]);
      const parts = found.map((place) => values[place].split(","));
      if (found.length > 1 && !parts[0].some((part) => parts.every((each) => each.includes(part))))
        for (const place of found) told.add(place);
    }
    if (told.size) mixed.push({ words, values: [...told].sort((a, b) => a - b).map((place) => worded(column, values[place])) });
  }
  return mixed;
}

function mixedWords(rows, judged) {
  return listed(mixtures(rows, judged).map(({ words, values }) => {
    const shown = values.length > 5 ? `${values.slice(0, 4).join(", ")} and ${values.length - 4} more` : listed(values);
    return words.startsWith("runs") ? words : `${words} (${shown})`;
  }));
}

function banner(rows, who = "this view mixes") {
  const words = mixedWords(rows, about.apart);
  return words ? `Caution: ${who} ${words}.` : "";
}

// Rows that no comparison includes, counted by the reason.
function leftOut(rows) {
  const counts = new Map();
  for (const row of rows) {
    const reason = text("excluded", row);
    if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `${whole.format(count)} (${reason})`);
}
