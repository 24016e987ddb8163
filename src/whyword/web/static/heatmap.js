// A text in the colours of its words' relevance. What the colours mean is heatmap.css's business.
import {h, number, oneLine, visible} from "./dom.js";

const LEVELS = 20, FAINTEST = 3;
const FOR = "226,58,43", AGAINST = "38,112,226", STRONGEST = 0.62;

// Spans count code points; JavaScript's strings count UTF-16 units.
export function units(text, spans) {
  if (!/[\ud800-\udbff]/.test(text)) return spans;
  const wanted = spans.flat(), places = new Array(wanted.length);
  let point = 0, unit = 0, next = 0;
  while (next < wanted.length) {
    while (next < wanted.length && wanted[next] === point) places[next++] = unit;
    unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
    point++;
  }
  return spans.map((_, n) => [places[2 * n], places[2 * n + 1]]);
}

// The text in pieces {text, word, unread}; word is −1 between words, −2 in what was not read.
export function pieces(text, spans, truncated = 0, unread = []) {
  const found = [], ranges = units(text, unread);
  let done = 0, next = 0;
  const push = (end, word) => {
    if (end > done) found.push({text: text.slice(done, end), word});
    done = Math.max(done, end);
  };
  const between = (end) => {
    for (; next < ranges.length && ranges[next][0] < end; next++) {
      push(Math.min(ranges[next][0], end), -1);
      push(Math.min(ranges[next][1], end), -2);
      if (ranges[next][1] > end) break;
    }
    push(end, -1);
  };
  units(text, spans).forEach(([start, end], word) => {
    between(start);
    while (next < ranges.length && ranges[next][1] <= start) next++;
    const isUnread = next < ranges.length && ranges[next][0] <= start && end <= ranges[next][1];
    found.push({text: text.slice(start, end), word, unread: isUnread});
    done = end;
  });
  if (truncated) push(text.length, -2);
  else between(text.length);
  return found;
}

// How many words were not read: removed, ignored, or beyond the last that the model reads.
export function unreadWords(found) {
  const ranges = units(found.text, found.unread ?? []);
  return ranges.reduce((sum, [start, end]) => sum + (found.text.slice(start, end).match(/\S+/g) ?? []).length,
    found.truncated);
}

export const largest = (...lists) =>
  lists.flat().reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);

export function level(value, full) {
  if (!full || !Number.isFinite(value)) return 0;
  return Math.round(Math.max(-1, Math.min(1, value / full)) * LEVELS);
}

function classes(at, isKnown, isGone, isUnread) {
  if (isGone) return "w gone";
  if (isUnread) return "w b";
  const strength = at > 0 ? ` p${at}` : at < 0 ? ` n${-at}${at <= -FAINTEST ? " n" : ""}` : "";
  return `w${strength}${isKnown ? "" : " u"}`;
}

const CHUNK = 1000;

// Text between words. Browsers need minutes to break a very long run that offers no place to
// break it, so it gets some.
function filler(text) {
  if (text.length <= 2 * CHUNK) return [text];
  const found = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + CHUNK);
    if (/[\ud800-\udbff]/.test(text[end - 1])) end++;
    found.push(text.slice(at, end), h("wbr"));
    at = end;
  }
  return found;
}

// The element, and a function that colours it anew.
export function colouredText(parts, known = []) {
  const words = [], unread = new Set();
  const text = h("p", {className: "text", dir: "auto"});
  for (const part of parts) {
    if (part.word === -1) text.append(...filler(visible(part.text)));
    else if (part.word === -2) {
      text.append(h("span", {className: "b", title: "not read"}, filler(visible(part.text))));
    } else {
      const word = h("span", {className: "w"}, visible(part.text));
      word.dataset.n = part.word;
      words[part.word] = word;
      if (part.unread) unread.add(part.word);
      text.append(word);
    }
  }
  function colour(values, full, gone = new Set()) {
    words.forEach((word, n) => {
      const now = classes(level(values[n], full), known[n] !== false, gone.has(n), unread.has(n));
      if (word.className !== now) word.className = now;
    });
  }
  return {text, words, colour};
}

// What landed on no word, below the text and in its colours.
export function edge(value, full) {
  if (!value) return "";
  return h("p", {className: "edge"}, h("span", {className: classes(level(value, full), true),
    title: "special tokens and padding"}, `on no word ${number(value)}`));
}

export function legend(full, marks = {}) {
  const line = h("p", {className: "legend"}, h("span", {className: "n"}, marks.against ?? "against"),
    ` ${number(-full)}`, h("span", {className: "bar"}), `${number(full)} ${marks.for ?? "for"}`);
  if (marks.unknown) line.append(" · ", h("span", {className: "u"}, "unknown to the model"));
  if (marks.gone !== undefined) {  // it has its place from the start: what is below must not move
    const mark = h("span", {className: "mark"}, " · ", h("span", {className: marks.gone ? "gone" : ""}, "deleted"));
    mark.style.visibility = marks.gone ? "visible" : "hidden";
    line.append(mark);
  }
  if (marks.unread) {
    line.append(" · ", h("span", {className: "b"}, `not read (${marks.unread.toLocaleString("en")} words)`));
  }
  return line;
}

// Distinct words, lower-cased, with the sums over their occurrences, the strongest first.
export function pooled(words, values) {
  const sums = new Map();
  words.forEach((word, n) => {
    const key = word.toLowerCase(), entry = sums.get(key) ?? {word: key, value: 0, places: []};
    entry.value += values[n];
    entry.places.push(n);
    sums.set(key, entry);
  });
  return [...sums.values()].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

const places = new WeakMap();  // of an answer's words: pointing asks for them at every step

// The positions at which a word stands that is at this one, whatever its case.
export function occurrences(found, position) {
  if (!places.has(found)) {
    places.set(found, new Map(pooled(found.words, found.words.map(() => 0)).map((entry) => [entry.word, entry.places])));
  }
  return places.get(found).get(found.words[position].toLowerCase());
}

// What each word shows: in a bag of words, where occurrences share a word's value, the whole of it.
export function wordValues(found, relevance) {
  if (found.parameters.occurrences !== "equal shares") return relevance;
  const shown = [];
  for (const {value, places} of pooled(found.words, relevance)) for (const n of places) shown[n] = value;
  return shown;
}

export function bars(entries, full, onChoose) {
  const list = h("ol", {className: "bars"});
  for (const entry of entries) {
    const share = full ? Math.min(1, Math.abs(entry.value) / full) : 0;
    const bar = h("span", {className: entry.value < 0 ? "fill against" : "fill for"});
    bar.style.width = `${(100 * share).toFixed(1)}%`;
    const shown = [h("span", {className: "track"}, bar),
      h("bdi", {className: "word"}, oneLine(entry.word)), h("span", {className: "value"},
        entry.note ?? number(entry.value))];
    list.append(h("li", {}, onChoose
      ? h("button", {type: "button", onclick: () => onChoose(entry)}, ...shown)
      : h("span", {className: "row"}, ...shown)));
  }
  return list;
}

export const isUnderlined = (value, full) => level(value, full) <= -FAINTEST;

export function paint(value, full) {  // a background for places without the style sheet
  const at = level(value, full);
  if (!at) return "";
  return `rgba(${at > 0 ? FOR : AGAINST},${(STRONGEST * Math.abs(at) / LEVELS).toFixed(3)})`;
}
