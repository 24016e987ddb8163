// What the explain view shows, and the numbers that follow from it.
import {columnOf, largestAt} from "./answers.js";
import {number, signed} from "./dom.js";
import {largest, pieces, wordValues} from "./heatmap.js";

export const ONE = "one", CONTRAST = "contrast", BESIDE = "beside";

// What stays when another view is opened.
export const state = {
  text: "", id: null, label: null,  // the document
  answers: new Map(),               // explanations by which words are deleted
  shown: null,                      // the one on the screen
  deleted: [], past: [],            // positions, and what they were before
  target: null, against: null, mode: ONE,  // class numbers
  pinned: false,                    // whether the class was chosen, so that it stays
  problem: null, notice: null,
};

export function start(text, found = null) {
  Object.assign(state, {
    text, id: found?.id ?? null, label: found?.label ?? null, answers: new Map(), shown: null,
    deleted: [], past: [], target: null, against: null, mode: ONE, pinned: false, problem: null});
}

export function change(text) {  // the document is another one, but what is looked at stays
  Object.assign(state, {text, id: null, label: null, answers: new Map(), deleted: [], past: [],
    problem: null, notice: null});
  if (!text.trim()) state.shown = null;
}

export const isContrast = () => state.mode === CONTRAST && state.against !== null;

// The classes that are to be looked at, by number: the chosen ones, or the best.
export function looked(found) {
  const first = state.pinned && state.target !== null ? state.target : largestAt(found.scores);
  return state.against === null ? [first] : [first, state.against];
}

// The answer with all words in their places, which says what the model knows: a deleted word is not known.
export const wholeOf = (found) => state.answers.get("") ?? found;

// What was asked for of one class in each row: of words, or of phrases.
export const ofClass = (found, rows, n) => rows.map((row) => row[columnOf(found, n)]);

const column = (found, at) => wordValues(found, ofClass(found, found.relevance, at));

export function valuesOf(found) {
  const first = column(found, state.target);
  if (!isContrast()) return first;
  const second = column(found, state.against);
  return first.map((value, n) => value - second[n]);
}

export function panels(found) {
  const names = found.classes.map(String), parts = pieces(found.text, found.spans, found.truncated, found.unread);
  const gone = new Set(state.deleted), against = state.against, {known} = wholeOf(found);
  const compared = against === null ? [state.target] : [state.target, against];
  const one = (title, values, figures) => ({title, values, parts, known, gone, compared, note: note(found, values, figures),
    outside: Math.abs(figures[1]) > least(figures[0]) ? figures[1] : 0});
  const figures = (at) => [found.scores[at],
    ...["padding", "constant", "residual"].map((field) => found[field][columnOf(found, at)])];
  let made;
  if (isContrast()) {
    const second = figures(against);
    made = [one(`${names[state.target]} rather than ${names[against]}`, valuesOf(found),
      figures(state.target).map((value, n) => value - second[n]))];
  } else {
    const shown = state.mode === BESIDE ? compared : [state.target];
    made = shown.map((at) => one(names[at], column(found, at), figures(at)));
  }
  const full = largest(...made.map((panel) => panel.values));
  made.forEach((panel) => { panel.full = full; });
  return made;
}

const CANCELS = 50;  // times the score, as on heatmaps
const least = (score) => 1e-4 * Math.max(1, Math.abs(score));  // what is worth a word

function note(found, values, [score, padding, constant, residual]) {
  const words = score - padding - constant - residual, small = least(score);
  const of = found.parameters.output === "probability" ? ["probability", "probabilities"] : ["score", "scores"];
  const what = isContrast() ? `difference of the ${of[1]}` : of[0], sign = found.conserves ? " = " : "; ";
  let line = `${what} ${signed(score)}${sign}words ${signed(words)}`;
  if (Math.abs(padding) > small) line += `, outside of words ${signed(padding)}`;
  const held = found.parameters.positions === "apart" ? "biases and positions" : "biases";
  if (Math.abs(constant) > small) line += `, ${held} ${signed(constant)}`;
  const lost = found.conserves ? "unexplained" : found.parameters.residual;
  if (Math.abs(residual) > small) line += lost ? `, ${lost} ${number(residual)}` : `; need not add up, by ${found.method}`;
  else if (residual !== 0) line += `, rounding ${Math.abs(residual).toExponential(0).replace("-", "−")}`;
  if (found.parameters.windows > 1) line += `; the mean of ${found.parameters.windows.toLocaleString("en")} windows that overlap, as the text is long`;
  const size = values.reduce((sum, value) => sum + Math.abs(value), 0) / Math.max(1, Math.abs(score));
  if (found.conserves && size >= CANCELS) {
    line += `; words cancel each other out: without their signs ${Math.round(size).toLocaleString("en")} times the ${of[0]}`;
  }
  return found.parameters.occurrences === "equal shares"
    ? `${line}; occurrences of a word share its value` : line;
}
