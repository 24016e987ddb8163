// What the model perhaps should not have learned: tick it, see what if, take the list along.
import * as api from "./api.js";
import {counted, h, name, oneLine, percent, problem, say, waiting} from "./dom.js";
import {opening} from "./corpusview.js";
import {downloaded} from "./share.js";

const PAGE = 30, CHIPS = 8;  // rows at a time, entries of a row that are seen at once
const SUSPECT = "suspect";
const TURNS = {"right to wrong": "turned wrong", "wrong to right": "turned right", "wrong to other wrong": "still wrong"};

// What stays when another view is opened: rows that are ticked, by number, and what was asked of them.
const kept = {ticked: new Map(), answer: null, label: null, verdict: SUSPECT, shown: PAGE};
let root, listing = null, asking = null;

export async function show(view, parameters, server) {
  if (!server.suspects) { view.replaceChildren(howTo()); return; }
  const {verdicts, classes, warning, remarks, units} = server.suspects;
  root = {
    list: h("ol", {className: "suspect-rows", "aria-label": "Suspects"}), more: h("p", {role: "status"}),
    count: h("span", {role: "status"}), answer: h("section", {className: "what-if", "aria-live": "polite", "aria-label": "What if"}),
    ask: h("button", {type: "button", className: "main", onclick: askWhatIf}, "What if"),
    clear: h("button", {type: "button", onclick: untick}, "Untick all"),
  };
  const select = (id, key, options) => h("select", {id, onchange: (event) => {
    kept[key] = event.target.value || null;
    kept.shown = PAGE;
    load();
  }}, ...options.map(([value, title]) => h("option", {value, selected: value === (kept[key] ?? "")}, title)));
  view.replaceChildren(...[
    warning && h("p", {className: "notice"}, `${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`),
    ...remarks.map((line) => h("p", {className: "notice"}, oneLine(line))),
    h("p", {className: "note"}, `${counted(verdicts[SUSPECT], "suspect")} among ${counted(units, "word, line, pair and pattern",
      "words, lines, pairs and patterns")}, worst first. Evidence is no proof, and you decide: tick what is an artefact, see what becomes of the ` +
      "predictions without it, and train again without the list (whyword train CORPUS --ignore suspects.csv --out NEW)."),
    h("div", {className: "tools"},
      h("div", {}, h("label", {htmlFor: "verdict"}, "Show "), select("verdict", "verdict",
        [...Object.entries(verdicts).map(([key, count]) => [key, `${key} (${count.toLocaleString("en")})`]), ["", "all"]]),
      h("label", {htmlFor: "suspect-class"}, " for "), select("suspect-class", "label",
        [["", "any class"], ...classes.map((label) => [String(label), oneLine(label)])])),
      h("div", {className: "ticked"}, root.count, root.ask,
        h("button", {type: "button", onclick: download}, "Download CSV"), root.clear)),
    root.answer, root.list, root.more].filter(Boolean));
  tell();
  renderAnswer();
  await load();
}

function howTo() {
  return h("div", {className: "empty"}, h("p", {}, "No list of suspects is served. The first command finds what the model perhaps should not have " +
    "learned, the second shows it here:"), h("pre", {}, "whyword suspects MODEL CORPUS --out FOLDER\nwhyword serve MODEL CORPUS --suspects FOLDER"));
}

// ---- rows -------------------------------------------------------------------------------------

async function load(offset = 0) {
  listing?.abort();
  const mine = listing = new AbortController();
  if (!offset) root.list.replaceChildren();
  root.more.replaceChildren(waiting("Fetching the suspects …"));
  try {
    const limit = offset ? PAGE : Math.min(100, kept.shown);
    const found = await api.suspects({label: kept.label, verdict: kept.verdict, offset, limit}, mine.signal);
    root.list.append(...found.rows.map(suspect));
    const count = root.list.children.length;
    kept.shown = count;
    root.more.replaceChildren(...more(count, found.found));
  } catch (error) {
    if (error.name === "AbortError") return;
    root.more.replaceChildren(problem(error), h("button", {type: "button", onclick: () => load(offset)}, "Try again"));
  }
}

function more(count, all) {
  if (!all) return [h("span", {className: "empty"}, "There is none.")];
  if (count >= all) return [];
  return [h("button", {type: "button", onclick: () => load(count)},
    `Show more (${count.toLocaleString("en")} of ${all.toLocaleString("en")})`)];
}

function suspect(row) {
  const box = h("input", {type: "checkbox", checked: kept.ticked.has(row.number),
    onchange: (event) => tick(row, event.target.checked)});
  box.dataset.row = row.number;
  const chips = row.entries.map((entry) => h("bdi", {className: "chip"}, oneLine(entry)));
  const others = chips.slice(CHIPS);
  return h("li", {},
    h("label", {}, box, h("span", {className: "chips"}, ...chips.slice(0, CHIPS).flatMap((chip) => [chip, " "]))),
    others.length > 0 && h("details", {}, h("summary", {}, `and ${others.length.toLocaleString("en")} more, deleted together`),
      h("p", {className: "chips"}, ...others.flatMap((chip) => [chip, " "]))),
    h("p", {className: "note"}, "for ", name(row.label), ` in ${counted(row.documents, "document")} · ${oneLine(row.verdict)}, ` +
      `score ${row.score.toFixed(1)}`),
    row.reasons.length > 0 && h("ul", {className: "reasons"}, ...row.reasons.map((reason) => h("li", {}, h("bdi", {}, oneLine(reason))))));
}

function tick(row, on) {
  if (on) kept.ticked.set(row.number, row.entries);
  else kept.ticked.delete(row.number);
  forget();
}

function untick() {
  kept.ticked.clear();
  for (const box of root.list.querySelectorAll("input")) box.checked = false;
  forget();
  root.list.querySelector("input")?.focus();
}

function forget() {  // what was asked is no answer for other ticks
  asking?.abort();
  kept.answer = null;
  tell();
  renderAnswer();
}

function tell() {
  root.count.textContent = `${kept.ticked.size.toLocaleString("en")} ticked `;
  root.ask.disabled = root.clear.disabled = !kept.ticked.size;
}

// ---- what if ----------------------------------------------------------------------------------

async function askWhatIf() {
  asking?.abort();
  const mine = asking = new AbortController();
  root.answer.replaceChildren(waiting("Predicting without them …"));
  try {
    kept.answer = await api.whatIf([...new Set([...kept.ticked.values()].flat())], mine.signal);
    renderAnswer();
    root.answer.scrollIntoView({block: "nearest"});
    say(root.answer.querySelector("p").textContent);
  } catch (error) {
    if (error.name !== "AbortError") root.answer.replaceChildren(problem(error));
  }
}

function renderAnswer() {
  const found = kept.answer;
  if (!found) { root.answer.replaceChildren(); return; }
  root.answer.replaceChildren(...[
    h("h2", {}, "Without what is ticked"),
    h("p", {}, `${counted(found.with_words, "document")} of ${found.documents.toLocaleString("en")} ` +
      `${found.with_words === 1 ? "holds" : "hold"} it, ${counted(found.changed, "prediction changes", "predictions change")}.`),
    found.accuracy ? accuracy(found.accuracy)
      : h("p", {className: "note"}, "No label of these documents is a class of the model, so that nobody knows which are right."),
    found.changes.length > 0 && h("details", {open: found.changes.length <= PAGE},
      h("summary", {}, found.changes.length < found.changed
        ? `The first ${found.changes.length} of ${found.changed.toLocaleString("en")} documents that change` : "Documents that change"),
      h("ul", {className: "changes"}, ...found.changes.map(changeLine)))].filter(Boolean));
}

function accuracy({before, after, before_interval: first, after_interval: second, p, alpha, turns, documents}) {
  const range = ([low, high]) => ` (${(100 * low).toFixed(1)} – ${(100 * high).toFixed(1)})`;
  return h("p", {}, "Accuracy ", h("b", {}, percent(before)), range(first), " → ", h("b", {}, percent(after)), range(second),
    ` on ${counted(documents, "labelled document")}: ${turns["right to wrong"]} turn wrong, ${turns["wrong to right"]} right; `,
    `McNemar’s p = ${p < 0.001 ? p.toExponential(0).replace("-", "−") : p.toFixed(3)}. `,
    h("span", {className: "note"}, `In brackets: intervals of ${(100 * (1 - alpha)).toFixed(0)} % confidence.`));
}

function changeLine(one) {
  return h("li", {}, h("a", {href: opening(one.number)}, name(one.id)), " ", name(one.before), " → ", name(one.after),
    one.turn === null ? "" : h("span", {className: one.turn === "right to wrong" ? "wrong" : "right"}, `, ${TURNS[one.turn]}`),
    one.turn === null || one.turn === "right to wrong" || one.turn === "wrong to right" ? "" : [": labelled ", name(one.true)]);
}

async function download() {
  try {
    const table = await api.suspectsTable([...kept.ticked.keys()]);
    downloaded(new Blob([table], {type: "text/csv"}), "suspects.csv");
    say("suspects.csv is downloaded.");
  } catch (error) {
    root.answer.replaceChildren(problem(error));
  }
}
