// An explanation of some classes, or all; what is asked for later is added to it.

const LISTS = ["padding", "constant", "residual"], ROWS = ["relevance", "phrase_relevance"];

// The column of a class, by its number among the classes; -1 if it was not asked for yet.
export const columnOf = (found, n) => found.target.indexOf(found.classes[n]);

export const largestAt = (values) => values.reduce((best, value, n) => value > values[best] ? n : best, 0);

// One class is several of which there is one; all are those that there are.
export function opened(answer) {
  if (Array.isArray(answer.target)) return answer;
  if (Array.isArray(answer.padding)) return {...answer, target: answer.classes};
  const made = {...answer, target: [answer.target]};
  for (const field of LISTS) made[field] = [answer[field]];
  for (const field of ROWS) if (answer[field]) made[field] = answer[field].map((value) => [value]);
  return made;
}

export function joined(found, more) {
  const fresh = more.target.map((label, k) => k).filter((k) => !found.target.includes(more.target[k]));
  const made = {...found, target: [...found.target, ...fresh.map((k) => more.target[k])],
    conserved: found.conserved && more.conserved};
  for (const field of LISTS) made[field] = [...found[field], ...fresh.map((k) => more[field][k])];
  for (const field of ROWS) {
    if (found[field]) made[field] = found[field].map((row, n) => [...row, ...fresh.map((k) => more[field][n][k])]);
  }
  return made;
}
