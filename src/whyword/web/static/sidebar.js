// The classes with their scores, and the strongest words.
import {dotted, h, number, oneLine, percent, signed} from "./dom.js";
import {bars, pooled} from "./heatmap.js";
import {isContrast, ofClass, state} from "./state.js";

const LISTED = 10;

export function classList(found, pick, compare) {
  const whole = state.answers.get(""), before = state.deleted.length ? whole : null;
  const order = found.scores.map((score, n) => n).sort((a, b) => found.scores[b] - found.scores[a]);
  const list = h("ul", {className: "classes"});
  for (const n of order) {
    const fill = h("span", {className: "fill"}), label = oneLine(found.classes[n]);
    fill.style.width = `${(100 * found.probabilities[n]).toFixed(1)}%`;
    const track = h("span", {className: "track"}, fill);
    if (before) {
      const mark = h("span", {className: "mark", title: `before: ${percent(before.probabilities[n])}`});
      mark.style.left = `${(100 * before.probabilities[n]).toFixed(1)}%`;
      track.append(mark);
    }
    const change = before ? found.scores[n] - before.scores[n] : 0;
    list.append(h("li", {className: n === state.target ? "chosen" : n === state.against ? "other" : ""},
      h("button", {type: "button", className: "class", "aria-pressed": String(n === state.target),
        onclick: () => pick(n), "data-class": n},
      h("bdi", {className: "word"}, dotted(label)), track, h("span", {className: "value"}, percent(found.probabilities[n])),
      h("span", {className: "score"}, signed(found.scores[n]),
        before && Math.abs(change) > 5e-3 ? h("small", {}, ` (${signed(change)})`) : null)),
      h("button", {type: "button", className: "versus", disabled: n === state.target,
        "aria-pressed": String(n === state.against), "aria-label": `vs ${label}`,
        title: `compare with ${label}`, "data-versus": n, onclick: () => compare(n === state.against ? null : n)}, "vs")));
  }
  return h("section", {}, h("h2", {}, "Classes"),
    h("p", {className: "note"}, before ? "Probability and score; in brackets what the deletions changed. The marks: probabilities before."
      : "Probability and score. Choose one to see why."),
    found.target.length < found.classes.length && h("p", {className: "note", id: "one-by-one"},
      "This model takes its time for each class, so the others are explained when you choose them."), list);
}

// What speaks for the class that is looked at, or for it rather than the other one.
function chosen(found, rows) {
  const first = ofClass(found, rows, state.target);
  if (!isContrast()) return first;
  const second = ofClass(found, rows, state.against);
  return first.map((value, n) => value - second[n]);
}

export function wordLists(found, panel) {
  const live = found.words.map((word, n) => n).filter((n) => !panel.gone.has(n));
  const raw = chosen(found, found.relevance);
  const some = (sign) => {  // a word may speak for a class here and against it there
    const at = live.filter((n) => raw[n] * sign > 0);
    const entries = pooled(at.map((n) => found.words[n]), at.map((n) => raw[n])).slice(0, LISTED);
    return entries.map((entry) => ({...entry, places: entry.places.map((place) => at[place])}));
  };
  const full = Math.max(0, ...[1, -1].flatMap((sign) => some(sign).slice(0, 1)).map((entry) => Math.abs(entry.value)));
  const part = (title, list) => h("section", {}, h("h2", {}, title), list.length
    ? bars(list, full, (entry) => flash(entry.places)) : h("p", {className: "note"}, "none"));
  const names = found.classes.map(oneLine);
  if (isContrast()) {
    const second = some(-1).map((entry) => ({...entry, note: number(-entry.value)}));
    return h("div", {className: "wordlists"}, part(`More for ${names[state.target]}`, some(1)),
      part(`More for ${names[state.against]}`, second));
  }
  return h("div", {className: "wordlists"}, part(`Words for ${names[state.target]}`, some(1)), part("Words against it", some(-1)));
}

// What the model used as units, where those are more than words: windows, n-grams.
export function phraseList(found) {
  if (!found.phrases || found.phrases.every((phrase) => !/\s/u.test(phrase))) return "";
  const raw = chosen(found, found.phrase_relevance);
  const entries = pooled(found.phrases, raw).slice(0, LISTED);
  if (!entries.length) return "";
  return h("section", {className: "phrases"}, h("h2", {}, "Phrases"),
    h("p", {className: "note"}, "What the model used as units; they add up to the same as the words."),
    bars(entries, Math.abs(entries[0].value), (entry) => flash(entry.places.flatMap((n) => covered(found, n)))));
}

const covered = (found, n) => {
  const [start, end] = found.phrase_spans[n];
  return found.spans.flatMap((span, at) => span[0] < end && span[1] > start ? [at] : []);
};

function flash(places) {
  const text = document.querySelector(".text.live");
  places.forEach((n) => {
    const word = text.querySelector(`[data-n="${n}"]`);
    word?.classList.add("flash");
    setTimeout(() => word?.classList.remove("flash"), 1500);
  });
  text.querySelector(`[data-n="${places[0]}"]`)?.scrollIntoView({block: "center", behavior: "smooth"});
}
