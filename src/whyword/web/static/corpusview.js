// A corpus as the model sees it: map, words of the classes, search.
import * as api from "./api.js";
import {counted, h, name, number, oneLine, percent, problem, sameLabels, say, visible, waiting} from "./dom.js";
import {bars, colouredText, largest, legend, pieces, pooled} from "./heatmap.js";
import {scatter, swatch} from "./scatter.js";

const PARTS = {map: ["Map", showMap], words: ["Class words", showWords], search: ["Search", showSearch]};
const TOP = 12, HITS = 10, AROUND = 25, WIDE = 60;  // words shown of a class, hits, words around the strongest
const kept = {map: null, words: new Map(), filters: null, query: "", hits: null};
const RANKS = {  // what orders class words
  typical: "its mean over the documents that have it (0 unless they were given the class), times log²(1 + documents)",
  strongest: "its strongest occurrence", mean: "the mean over its occurrences", sum: "the sum over its occurrences"};

export async function show(view, parameters, server, rest) {
  const parts = Object.entries(PARTS).filter(([key]) => server.corpus.vectors || key === "words");
  const wanted = parts.some(([key]) => key === rest[0]) ? rest[0] : parts[0][0];
  const body = h("div", {className: `part ${wanted}`});
  view.replaceChildren(
    h("nav", {className: "parts", "aria-label": "Parts of the corpus view"}, ...parts.map(
      ([key, [title]]) => h("a", {href: `#/corpus/${key}`, "aria-current": key === wanted ? "page" : null}, title))),
    body);
  await PARTS[wanted][1](body, parameters, server);
}

export const opening = (number, more = {}) => `#/explain?${new URLSearchParams({doc: number, ...more})}`;

export function entryLine(entry) {
  const right = entry.label === null || sameLabels(entry.label, entry.predicted);
  return h("p", {className: "entry"}, h("a", {href: opening(entry.number)}, name(entry.id)), " ",
    h("span", {className: right ? "right" : "wrong"},
      entry.label === null ? "" : "labelled ", entry.label === null ? "" : name(entry.label),
      entry.label === null ? "" : ", ", "predicted ", name(entry.predicted), ` ${percent(entry.probability)}`));
}

// ---- map --------------------------------------------------------------------------------------

async function showMap(body) {
  body.replaceChildren(waiting("Fetching the map …"));
  kept.map ??= await api.documentMap();
  const data = kept.map, labelled = data.labels.some((label) => label >= 0);
  kept.filters ??= {by: labelled ? "label" : "predicted", which: "all", off: new Set()};
  const filters = kept.filters;
  const names = () => filters.by === "label" ? data.label_names
    : data.label_names.slice(0, Math.max(data.classes.length, ...data.predicted.map((n) => n + 1)));
  const isRight = (n) => data.right[n] === true;
  const what = {
    canvas: h("canvas", {id: "map", tabIndex: 0, role: "application",
      "aria-label": "Map of documents. Arrow keys walk from document to document, Enter opens one."}),
    hint: h("div", {id: "hint", role: "status"}),
    points: data.points.flat(), square: true, groupOf: null,
    isShown(n) {
      const group = filters.by === "label" ? data.labels[n] : data.predicted[n];
      if (group < 0 || filters.off.has(group)) return false;
      return filters.which === "all" || (data.labels[n] >= 0 && isRight(n) === (filters.which === "right"));
    },
    describe: (n, hint) => describe(n, hint, data),
    open: (n) => { location.hash = opening(data.numbers[n]); },
  };
  const groups = h("fieldset", {id: "groups"});
  const count = h("p", {className: "note", role: "status"});
  let drawing = null;
  function update() {
    what.groupOf = filters.by === "label" ? data.labels : data.predicted;
    let shown = 0;
    for (let n = 0; n < data.ids.length; n++) if (what.isShown(n)) shown++;
    count.textContent = `${counted(shown, "document")} shown` +
      (data.ids.length < data.documents ? ` of ${counted(data.ids.length, "point")}, evenly chosen from ${counted(data.documents, "document")}` : "");
    drawing?.redraw();
  }
  function listGroups() {
    const boxes = names().map((group, n) => h("label", {}, h("input", {type: "checkbox", checked: !filters.off.has(n),
      onchange: (event) => { event.target.checked ? filters.off.delete(n) : filters.off.add(n); update(); }}),
    swatch(n), name(group)));
    const all = (on) => () => {
      filters.off = new Set(on ? [] : names().map((_, n) => n));
      listGroups();
      update();
    };
    groups.replaceChildren(h("legend", {}, filters.by === "label" ? "Labels" : "Predicted classes"), ...boxes,
      h("button", {type: "button", onclick: all(true)}, "all"), h("button", {type: "button", onclick: all(false)}, "none"));
  }
  const choice = (title, field, options) => h("div", {}, h("label", {htmlFor: field}, title), h("select", {id: field,
    onchange: (event) => {
      filters[field] = event.target.value;
      if (field === "by") listGroups();  // labels and classes have the same numbers
      update();
    }}, ...options.map(([value, shown]) => h("option", {value, selected: filters[field] === value}, shown))));
  body.replaceChildren(
    h("p", {className: "note"}, "Documents whose predictions rest on alike words are near to each other. Point at one (or tap it) for its " +
      "strongest words, click (tap again) to open it; scroll to zoom, drag to move. " +
      `The plane shows ${percent(data.share)} of the vectors' variance.`),
    h("div", {className: "tools"}, labelled && choice("Coloured by", "by", [["label", "label"], ["predicted", "predicted class"]]),
      labelled && choice("Show", "which", [["all", "all"], ["right", "those predicted right"], ["wrong", "those predicted wrong"]]), count),
    h("div", {className: "map-box"}, what.canvas, what.hint), groups);
  listGroups();
  update();
  drawing = scatter(what);
}

let hinted = 0;
function describe(n, hint, data) {
  const label = data.labels[n] >= 0 ? data.label_names[data.labels[n]] : null;
  const predicted = data.label_names[data.predicted[n]];
  const words = h("span", {className: "words"}, "…");
  hint.append(h("b", {}, name(data.ids[n])),
    label === null || label === predicted ? name(predicted) : h("span", {}, name(label), ", predicted ", name(predicted)), words);
  const mine = ++hinted;
  setTimeout(async () => {  // only where the pointer rests
    if (mine !== hinted || !words.isConnected) return;
    try {
      const found = await api.corpusDocument(data.numbers[n]);
      words.replaceChildren(...found.strongest.flatMap(([word]) => [name(word), " "]));
      words.textContent ||= "no word speaks for it";
    } catch {
      words.textContent = "";
    }
  }, 120);
}

// ---- class words ------------------------------------------------------------------------------

async function showWords(body, parameters) {
  body.replaceChildren(waiting("Fetching the words …"));
  const rank = Object.hasOwn(RANKS, parameters.get("r") ?? "") ? parameters.get("r") : "typical";
  const units = parameters.get("u") === "phrases" ? "phrases" : "words";
  const symbols = parameters.get("s") === "1", key = `${units} ${rank} ${symbols}`;
  if (!kept.words.has(key)) kept.words.set(key, await api.classWords(100, rank, units, symbols));
  const found = kept.words.get(key), target = parameters.get("c"), word = parameters.get("w");
  const top = target === null ? TOP : 100;
  const chosen = found.classes.filter((one) => target === null || String(one.target) === target);
  const details = h("section", {className: "details", "aria-live": "polite"});
  const go = (changed) => { location.hash = wordsAddress({u: units, r: rank, s: symbols ? "1" : null, c: target, ...changed}); };
  const select = h("select", {id: "class", onchange: (event) => go({c: event.target.value || null})},
    h("option", {value: ""}, "all classes"), ...found.classes.map((one) =>
      h("option", {value: String(one.target), selected: String(one.target) === target}, oneLine(one.target))));
  const choice = (id, label, values, value, key) => h("select", {
    id, "aria-label": label, onchange: (event) => go({[key]: event.target.value}),
  }, ...values.map((one) => h("option", {value: one, selected: one === value}, one)));
  const what = found.choices.length > 1
    ? [choice("units", "Words or phrases", found.choices, units, "u"), h("label", {htmlFor: "class"}, "of")]
    : [h("label", {htmlFor: "class"}, "Words of")];
  body.replaceChildren(
    h("p", {className: "note"}, `What speaks for each class, over ${counted(found.documents, "document")} whatever their own class: each ` +
      `${units === "phrases" ? "phrase" : "word"} by ${RANKS[rank]}. `,
    ...(chosen.some((one) => one.words.slice(0, top).some((entry) => entry.seen === false))
      ? [h("span", {className: "unseen"}, "Underlined"), ": not in the training texts. "] : []),
    "Click one for the documents it comes from."),
    h("div", {className: "tools"}, h("div", {}, ...what, select),
      h("div", {}, h("label", {htmlFor: "rank"}, "ordered by"), choice("rank", null, Object.keys(RANKS), rank, "r")),
      ...(found.symbols ? [h("label", {}, h("input", {type: "checkbox", id: "symbols", checked: symbols,
        onchange: (event) => go({s: event.target.checked ? "1" : null})}), " with symbols")] : [])), details,
    h("div", {className: `class-grid ${target === null ? "" : "single"}`}, ...chosen.map((one) =>
      wordSection(one, top, (changed) => wordsAddress({u: units, r: rank, s: symbols ? "1" : null, c: one.target, ...changed})))));
  if (word !== null && target !== null) await showWordDocuments(details, target, word, units);
}

// The address of a list; what is as usual is left out.
function wordsAddress(chosen) {
  const usual = {u: "words", r: "typical"};
  const given = Object.entries(chosen).filter(([key, value]) => value !== null && value !== undefined && value !== usual[key]);
  return given.length ? `#/corpus/words?${new URLSearchParams(given)}` : "#/corpus/words";
}

function wordSection(one, top, address) {
  const entries = one.words.slice(0, top), full = entries[0]?.relevance ?? 0;
  const list = bars(entries.map((entry) => ({...entry, value: entry.relevance})), full, (entry) => {
    location.hash = address({w: entry.word});
  });
  [...list.children].forEach((item, n) => {
    if (entries[n].seen === false) item.querySelector(".word").classList.add("unseen");
    item.firstChild.title = `${counted(entries[n].occurrences, "occurrence")} in ${counted(entries[n].documents, "document")}`;
  });
  return h("section", {}, h("h2", {}, h("a", {href: address({})}, name(one.target))),
    entries.length ? list : h("p", {className: "note"}, "none"));
}

async function showWordDocuments(details, target, word, units) {
  details.replaceChildren(waiting(`Looking for “${oneLine(word)}” …`));
  try {
    const found = await api.wordDocuments(target, word, units);
    const among = found.compared < found.found ? `, compared in ${counted(found.compared, "document")} of them` : "";
    details.replaceChildren(
      h("h2", {}, "“", name(word), "” for ", name(target)),
      h("p", {className: "note"}, `It occurs in ${counted(found.found, "document")}${among}; where it speaks most for the class:`),
      h("ol", {className: "entries"}, ...found.documents.map((entry) => h("li", {},
        h("span", {className: "value"}, number(entry.relevance)),
        h("div", {}, withTarget(entryLine(entry), entry, target), h("p", {className: "beginning", dir: "auto"}, "… ", inOneLine(entry.before),
          h("mark", {}, oneLine(entry.said)), inOneLine(entry.after), " …"))))));
    details.scrollIntoView({block: "start"});
  } catch (error) {
    details.replaceChildren(problem(error));
  }
}

const inOneLine = (text) => visible(text).replace(/\s+/g, " ");

function withTarget(line, entry, target) {
  line.querySelector("a").href = opening(entry.number, {c: target});
  return line;
}

// ---- search -----------------------------------------------------------------------------------

async function showSearch(body, parameters) {
  const results = h("section", {"aria-live": "polite", "aria-label": "Hits"});
  const field = h("input", {id: "query", type: "search", value: parameters.get("q") ?? kept.query, dir: "auto",
    placeholder: "any words, or a whole text", autocomplete: "off"});
  const form = h("form", {className: "tools", role: "search", onsubmit: (event) => {
    event.preventDefault();
    kept.query = field.value;
    find(field.value, results);
  }}, h("label", {htmlFor: "query"}, "Look for "), field, h("button", {className: "main"}, "Search"));
  body.replaceChildren(h("p", {className: "note"}, "Finds the documents in which alike words served the model's decision. Red words make " +
    "a document near to the query, blue ones set it apart; a list adds up the occurrences of a word."), form, results);
  if (kept.hits && kept.hits.query === field.value) listHits(kept.hits, results);
  else if (field.value.trim()) await find(field.value, results);
  else results.replaceChildren(h("p", {className: "empty"}, "Nothing has been looked for yet."));
}

let looking = null;
async function find(text, results) {
  if (!text.trim()) { results.replaceChildren(h("p", {className: "empty"}, "Type what to look for.")); return; }
  looking?.abort();
  looking = new AbortController();
  results.replaceChildren(waiting("Searching …"));
  try {
    const found = await api.search(text.toWellFormed?.() ?? text, HITS, looking.signal);
    kept.hits = {...found, query: text};
    listHits(kept.hits, results);
    say(`${counted(found.hits.length, "document")} found`);
  } catch (error) {
    if (error.name !== "AbortError") results.replaceChildren(problem(error));
  }
}

function listHits({hits}, results) {
  if (!hits.length) { results.replaceChildren(h("p", {className: "empty"}, "Nothing is near.")); return; }
  results.replaceChildren(h("ol", {className: "hits"}, ...hits.map(hitItem)));
}

function hitItem(hit) {
  const full = largest(hit.text.carried), from = snippet(hit.text);
  const coloured = colouredText(from.parts);
  coloured.colour(from.values, full);
  const query = colouredText(pieces(hit.query.text, hit.query.spans));
  query.colour(hit.query.carried, largest(hit.query.carried));
  const strongest = pooled(hit.text.words, hit.text.carried).slice(0, 6);
  return h("li", {}, h("div", {className: "hit-head"}, h("b", {className: "value"}, hit.similarity.toFixed(3)), entryLine(hit)),
    h("div", {className: "ww"}, coloured.text),
    h("details", {}, h("summary", {}, "Why this hit"),
      h("div", {className: "why"},
        h("div", {}, h("h3", {}, "The query"), h("div", {className: "ww"}, query.text)),
        h("div", {}, h("h3", {}, "Words of the document"), bars(strongest, largest(strongest.map((one) => one.value)))),
        h("div", {className: "ww"}, legend(full, {for: "makes it near", against: "sets it apart"})))));
}

// The words around the strongest one.
function snippet({text, spans, carried}) {
  const best = carried.reduce((at, value, n) => Math.abs(value) > Math.abs(carried[at]) ? n : at, 0);
  const first = Math.max(0, Math.min(best - AROUND, spans.length - WIDE)), last = first + WIDE;
  const found = pieces(text, spans), start = found.findIndex((part) => part.word === first);
  const stop = found.findIndex((part) => part.word === last);
  const parts = found.slice(first > 0 ? start : 0, stop < 0 ? undefined : stop);
  if (first > 0) parts.unshift({text: "… ", word: -1});
  if (stop >= 0) parts.push({text: "…", word: -1});
  return {parts, values: carried};
}
