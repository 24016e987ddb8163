// Paste a text, see why, change it, see what changes.
import {columnOf, joined, largestAt, opened} from "./answers.js";
import * as api from "./api.js";
import {counted, h, labelText, name, oneLine, percent, problem, sameLabels, say, waiting} from "./dom.js";
import {legend, occurrences, unreadWords} from "./heatmap.js";
import {drawn} from "./livetext.js";
import {unpackedText} from "./share.js";
import {classList, phraseList, wordLists} from "./sidebar.js";
import {BESIDE, CONTRAST, ONE, change, isContrast, looked, panels, start, state, valuesOf, wholeOf} from "./state.js";
import {menu} from "./takealong.js";

const PAUSE = 250;  // milliseconds after a key
const LONG = 50_000, BEGINNING = 10_000;  // characters: browsers take minutes to lay out some longer fields
const REMOVED = 5;

let root, request = null, timer = null, drawnFor = {};

// ---- opening ----------------------------------------------------------------------------------

export async function show(view, parameters, server) {
  const field = h("textarea", {id: "text", rows: 7, spellcheck: false, dir: "auto",
    placeholder: "Paste a text here, or drop a file.", oninput: typed, onkeydown: sendOnEnter, onpaste: takePaste});
  root = {
    server, field, cut: h("p", {className: "note", hidden: true}),
    about: h("p", {className: "about"}),
    result: h("section", {id: "result", "aria-label": "Explanation"}),
    busy: h("span", {className: "busy", "aria-hidden": "true"}),
  };
  view.replaceChildren(
    h("section", {className: "input"},
      h("label", {htmlFor: "text"}, "Text"), field, root.cut,
      h("div", {className: "buttons"},
        h("button", {type: "button", className: "main", onclick: () => explainNow()}, "Explain"),
        h("button", {type: "button", onclick: clear}, "Clear"),
        server.corpus && h("button", {type: "button", onclick: random}, "A random document"),
        h("label", {className: "button"}, "Open a file",
          h("input", {type: "file", className: "unseen-text", accept: "text/*,.txt,.md,.eml",
            onchange: (event) => takeFile(event.target.files[0])})),
        root.busy)),
    root.about, root.result);
  takeDrops(view);
  await openParameters(parameters);
  fillField();
  render();
  if (state.text && !state.shown) explainNow();
}

async function openParameters(parameters) {
  state.notice = null;
  if (parameters.has("doc")) return openDocument(parameters.get("doc"), parameters);
  if (!parameters.has("t")) return undefined;
  try {
    start(await unpackedText(parameters.get("t")));
  } catch {
    state.notice = "This link is damaged: its text cannot be read.";
    return undefined;
  }
  const made = parameters.get("m");
  if (made && !identity().startsWith(made)) {
    state.notice = "This link was made with another model; what you see here is this model's view.";
  }
  choose(parameters);
  state.deleted = (parameters.get("d") ?? "").split(",").filter(Boolean).map(Number)
    .filter(Number.isInteger);
  return undefined;
}

const identity = () => root.server.model.identity ?? "";  // none for models that cannot be saved

async function openDocument(given, parameters) {
  root.result.replaceChildren(waiting("Fetching the document …"));
  try {
    const found = await api.corpusDocument(given);
    start(found.text, found);
    choose(parameters);
  } catch (error) {
    start("");
    state.problem = error;
  }
}

function choose(parameters) {
  const names = root.server.model.classes.map(String);
  const at = (key) => names.indexOf(parameters.get(key) ?? "");
  if (at("c") >= 0) { state.target = at("c"); state.pinned = true; }
  if (at("a") >= 0 && at("a") !== state.target) {
    state.against = at("a");
    state.mode = parameters.get("v") === BESIDE ? BESIDE : CONTRAST;
  }
}

function fillField() {
  const long = state.text.length > LONG;
  root.field.value = long ? state.text.slice(0, BEGINNING).toWellFormed?.() ?? "" : state.text;
  root.field.readOnly = long;
  root.cut.hidden = !long;
  root.cut.textContent = `The text has ${counted(state.text.length, "character")}: only its beginning is shown in this ` +
    "field, and it cannot be edited here. All of it is explained.";
}

// ---- asking -----------------------------------------------------------------------------------

function typed() {
  change(root.field.value);
  clearTimeout(timer);
  timer = setTimeout(explainNow, PAUSE);
  renderAbout();
}

function sendOnEnter(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) explainNow();
}

async function explainNow() {
  clearTimeout(timer);
  request?.abort();
  if (!state.text.trim()) { state.shown = null; state.problem = null; render(); return; }
  const key = state.deleted.join(), text = state.text;
  const kept = state.answers.get(key);
  if (kept && !missing(kept).length) { display(kept); return; }
  const mine = request = new AbortController();
  root.busy.classList.add("on");
  try {
    const well = text.toWellFormed?.() ?? text;
    const wanted = [{text: well, deleted: state.deleted}];
    if (state.deleted.length && !state.answers.has("")) wanted.push({text: well, deleted: []});
    const options = {target: targetOf(kept), phrases: root.server.model.phrases};
    const [first, whole] = (await api.explain(wanted, options, mine.signal)).map(opened);
    if (state.text !== text) return;  // another one was typed since: its answers are not these
    const found = kept ? joined(kept, first) : first;
    state.answers.set(key, found);
    if (whole) state.answers.set("", whole);
    if (missing(found).length) explainNow();  // another class is the best one by now
    else display(found);
  } catch (error) {
    if (error.name === "AbortError") return;
    state.problem = error;
    if (state.shown?.text !== text) state.shown = null;  // it is another text's
    else if (missing(state.shown).length) Object.assign(state, drawnFor);  // what is there is looked at again
    render();
  } finally {
    if (request === mine) root.busy.classList.remove("on");
  }
}

// The classes that are looked at and were not asked for yet, by number.
const missing = (found) => looked(found).filter((n) => columnOf(found, n) < 0);

// What is asked for: all classes, if they cost what one does.
function targetOf(kept) {
  const {all_classes: all, names} = root.server.model;
  if (all) return "all";
  if (kept) return missing(kept).map((n) => names[n]);
  const chosen = state.pinned ? [state.target, state.against] : [null];
  return chosen[0] === null ? "predicted" : chosen.filter((n) => n !== null).map((n) => names[n]);
}

function display(found) {
  const before = state.shown;
  state.problem = null;
  state.shown = found;
  const best = largestAt(found.scores);
  if (state.target === null || !state.pinned) state.target = best;
  if (state.target === state.against) { state.against = null; state.mode = ONE; }
  const changed = before && before.text === found.text && !sameLabels(before.predicted, found.predicted);
  render();
  const chance = percent(found.probabilities[best]);
  say(changed ? `The prediction changed from ${labelText(before.predicted)} to ${labelText(found.predicted)}, ${chance}.`
    : `Predicted: ${labelText(found.predicted)}, ${chance}.`);
}

// ---- deleting ---------------------------------------------------------------------------------

function remove(positions) {
  const now = new Set(state.deleted);
  positions.forEach((position) => now.add(position));
  setDeleted([...now].sort((a, b) => a - b));
}

// A word goes or comes back: one occurrence, or all of them, whatever their case.
function toggle(position, everywhere) {
  const places = new Set(everywhere ? occurrences(state.shown, position) : [position]);
  if (state.deleted.includes(position)) setDeleted(state.deleted.filter((n) => !places.has(n)));
  else remove(places);
}

function setDeleted(positions) {
  state.past.push(state.deleted);
  state.pinned = true;  // one watches a class while words go
  state.deleted = positions;
  explainNow();
}

function undo() {
  if (!state.past.length) return;
  state.deleted = state.past.pop();
  explainNow();
}

function removeStrongest() {
  const values = valuesOf(state.shown), gone = new Set(state.deleted);
  const order = values.map((value, n) => [value, n]).filter(([value, n]) => value > 0 && !gone.has(n))
    .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  if (order.length) remove(order.slice(0, REMOVED).map(([, n]) => n));
  else say("No word speaks for this class.");
}

// ---- on the screen ----------------------------------------------------------------------------

function render() {
  if (state.shown && missing(state.shown).length) return;  // it is being asked for
  document.getElementById("tip").hidden = true;
  renderAbout();
  const focused = selectorOf(document.activeElement), scrolled = root.result.querySelector(".classes")?.scrollTop ?? 0;
  const notices = [state.notice && h("p", {className: "notice"}, state.notice),
    state.problem && problem(state.problem)];
  if (!state.shown) {
    root.result.replaceChildren(...notices.filter(Boolean), state.problem ? "" : empty());
    return;
  }
  const found = state.shown, shown = panels(found);
  drawnFor = {target: state.target, against: state.against, mode: state.mode};
  root.result.replaceChildren(...notices.filter(Boolean), verdict(found), ...remarks(found),
    h("div", {className: "columns"},
      h("div", {className: "reading"}, toolbar(found, shown), key(found, shown[0].full),
        h("div", {className: `ww panels-${shown.length}`}, ...shown.map((panel, n) => drawn(panel, found, n, toggle)))),
      h("aside", {"aria-label": "Classes and words"}, classList(found, pick, compare), wordLists(found, shown[0]),
        phraseList(found))));
  root.result.querySelector(".classes").scrollTop = scrolled;
  if (focused) root.result.querySelector(focused)?.focus({preventScroll: true});
}

// Where the keys were: what was drawn anew gets them again.
function selectorOf(element) {
  if (!root.result.contains(element)) return null;
  if (element.id) return `#${element.id}`;
  if (element.name === "mode") return `[name=mode][value=${element.value}]`;
  const named = ["class", "versus", "panel"].find((key) => element.dataset[key] !== undefined);
  return named ? `[data-${named}="${element.dataset[named]}"]` : null;
}

function tell(what) {  // for a while, and without moving anything
  document.querySelector(".toast")?.remove();
  const line = h("p", {className: "notice toast", role: "status"}, what);
  document.body.append(line);
  setTimeout(() => line.remove(), 5000);
}

function verdict(found) {
  const best = largestAt(found.scores), right = state.label !== null && sameLabels(state.label, found.predicted);
  return h("p", {className: "verdict"}, "Predicted ", h("b", {}, name(found.predicted)), ` ${percent(found.probabilities[best])}`,
    state.label === null ? "" : h("span", {className: right ? "right" : "wrong"}, right ? ", as labelled" : ", which is wrong"),
    flipped(), best === state.target ? "" : [" · shown: ", name(found.classes[state.target]), ` ${percent(found.probabilities[state.target])}`]);
}

function empty() {
  const {model, corpus} = root.server;
  const from = corpus ? "take a random document of the corpus, or look through it in the other views"
    : "to look through documents, too, start the server with a corpus";
  return h("div", {className: "empty"},
    h("p", {}, "Paste a text above: you will see which words made the model say what it says, for each of its " +
      `${model.classes.length} classes. Then delete words and watch what changes; or ${from}.`),
    model.classes.includes("sci.space") && h("p", {className: "examples"}, "For example: ", ...["The shuttle reached orbit.",
      "My doctor says the medicine is safe."].map((text) => h("button", {type: "button",
      onclick: () => { root.field.value = text; typed(); explainNow(); }}, text))));
}

function renderAbout() {
  const parts = [];
  if (state.id !== null) parts.push(h("b", {}, name(state.id)));
  if (state.label !== null) {
    parts.push(state.id === null ? "" : " · ", "labelled ", name(state.label));
  }
  root.about.replaceChildren(...parts);
  root.about.hidden = !parts.length;
}

function flipped() {
  const whole = state.answers.get("");
  if (!whole || sameLabels(whole.predicted, state.shown.predicted)) return "";
  return h("span", {className: "flip"}, "the deletions changed the prediction: ", name(whole.predicted), " → ",
    h("b", {}, name(state.shown.predicted)));
}

function remarks(found) {
  const said = [];
  if (!found.words.length) said.push("There is no word in this text: what the model says of it says nothing.");
  else if (!wholeOf(found).known.some(Boolean)) {
    said.push("The model knows none of these words: the prediction says nothing of the text.");
  }
  if ((found.conserves || found.parameters.residual) && !found.conserved) {
    said.push("Relevance does NOT add up to the score here.");
  }
  if (found.truncated) {
    said.push(`The model read the first ${counted(found.words.length, "word")}; ` +
      `${counted(found.truncated, "more was", "more were")} left out.`);
  }
  return said.map((line) => h("p", {className: "notice"}, line));
}

function toolbar(found, shown) {
  const options = (chosen, none) => [none && h("option", {value: "", selected: chosen === null}, none),
    ...found.classes.map((label, n) => h("option", {value: n, selected: n === chosen,
      disabled: Boolean(none) && n === state.target}, oneLine(label)))];
  const target = h("select", {id: "target", onchange: (event) => pick(Number(event.target.value))},
    ...options(state.target).filter(Boolean));
  const against = h("select", {id: "against", onchange: (event) =>
    compare(event.target.value === "" ? null : Number(event.target.value))},
  ...options(state.against, "no other class"));
  const mode = (value, title) => h("label", {}, h("input", {type: "radio", name: "mode", value,
    checked: state.mode === value, onchange: () => { state.mode = value; render(); }}), title);
  const button = (title, action, properties = {}) =>
    h("button", {type: "button", onclick: action, ...properties}, title);
  return h("div", {className: "tools"},
    h("div", {}, h("label", {htmlFor: "target"}, "Why "), target,
      h("label", {htmlFor: "against"}, " compared with "), against,
      state.against !== null && h("fieldset", {className: "modes"}, h("legend", {className: "unseen-text"}, "How to compare"),
        mode(CONTRAST, "contrast"), mode(BESIDE, "side by side"))),
    h("div", {},
      button("Remove the top five", removeStrongest, {id: "top-five"}),
      button("Undo", undo, {id: "undo", disabled: !state.past.length}),
      button("All words back", () => setDeleted([]), {id: "back", disabled: !state.deleted.length}),
      menu(shown, found, identity(), tell)));
}

function key(found, full) {
  return h("div", {className: "ww"}, legend(full, {
    for: isContrast() ? `more for ${oneLine(found.classes[state.target])}` : "for",
    against: isContrast() ? `more for ${oneLine(found.classes[state.against])}` : "against", unread: unreadWords(found),
    unknown: wholeOf(found).known.includes(false), gone: state.deleted.length > 0}));
}

// Choosing recolours what is there; a class that was not asked for yet is.
function pick(n) {
  state.target = n;
  state.pinned = true;
  if (state.against === n) { state.against = null; state.mode = ONE; }
  explainNow();
  say(`Coloured for ${state.shown.classes[n]}.`);
}

function compare(n) {
  state.pinned = true;
  state.against = n === state.target ? null : n;
  state.mode = state.against === null ? ONE : state.mode === BESIDE ? BESIDE : CONTRAST;
  explainNow();
}

// ---- texts from elsewhere ---------------------------------------------------------------------

function takeDrops(view) {
  view.ondragover = (event) => { event.preventDefault(); view.classList.add("dropping"); };
  view.ondragleave = () => view.classList.remove("dropping");
  view.ondrop = (event) => {
    event.preventDefault();
    view.classList.remove("dropping");
    const file = event.dataTransfer.files[0], text = event.dataTransfer.getData("text/plain");
    if (file) takeFile(file);
    else if (text) takeText(text);
  };
}

async function takeFile(file) {
  if (!file) return;
  const most = root.server.limits.body_bytes;
  if (file.size > most) {
    state.problem = new Error(`${oneLine(file.name)} has ${counted(file.size, "byte")}; at most ` +
      `${counted(most, "byte")} can be sent.`);
    render();
    return;
  }
  const bytes = await file.arrayBuffer();
  try {
    takeText(new TextDecoder("utf-8", {fatal: true}).decode(bytes));
  } catch {
    takeText(new TextDecoder("windows-1252").decode(bytes));
    state.notice = `${oneLine(file.name)} is not UTF-8; it was read as Western European text.`;
  }
  state.id = file.name;
  renderAbout();
}

function takeText(text) {
  start(text);
  fillField();
  explainNow();
}

function takePaste(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text.length <= LONG) return;  // the browser does it
  event.preventDefault();
  takeText(text);
}

function clear() {
  request?.abort();
  start("");
  state.notice = null;
  fillField();
  root.field.focus();
  render();
}

async function random() {
  const n = Math.floor(Math.random() * root.server.corpus.documents);
  location.hash = `#/explain?doc=${n}`;
}
