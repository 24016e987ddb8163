// Paste a text, see why, change it, see what changes.
import * as api from "./api.js";
import {counted, h, name, number, oneLine, percent, problem, say, signed, waiting} from "./dom.js";
import {bars, colouredText, largest, legend, pieces, pooled} from "./heatmap.js";
import {asHtml, asPicture, copiedPicture, copiedText, downloaded, packedText, unpackedText} from "./share.js";

const PAUSE = 250;  // milliseconds after a key
const LONG = 50_000, BEGINNING = 10_000;  // characters: browsers take minutes to lay out some longer fields
const LISTED = 10, REMOVED = 5, LONG_LINK = 8_000;
const ONE = "one", CONTRAST = "contrast", BESIDE = "beside";

// What stays when another view is opened.
const state = {
  text: "", id: null, label: null,  // the document
  answers: new Map(),               // explanations by which words are deleted
  shown: null,                      // the one on the screen
  deleted: [], past: [],            // positions, and what they were before
  target: null, against: null, mode: ONE,  // class numbers
  pinned: false,                    // whether the class was chosen, so that it stays
  problem: null, notice: null,
};
let root, request = null, timer = null;

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
        server.corpus && h("button", {type: "button", onclick: random}, "Any document of the corpus"),
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
  if (made && !root.server.model.identity.startsWith(made)) {
    state.notice = "This link was made with another model; what you see here is this model's view.";
  }
  choose(parameters);
  state.deleted = (parameters.get("d") ?? "").split(",").filter(Boolean).map(Number)
    .filter(Number.isInteger);
  return undefined;
}

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

function start(text, found = null) {
  Object.assign(state, {
    text, id: found?.id ?? null, label: found?.label ?? null, answers: new Map(), shown: null,
    deleted: [], past: [], target: null, against: null, mode: ONE, pinned: false, problem: null});
}

function change(text) {  // the document is another one, but what is looked at stays
  Object.assign(state, {text, id: null, label: null, answers: new Map(), deleted: [], past: [],
    problem: null, notice: null});
  if (!text.trim()) state.shown = null;
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
  if (state.answers.has(key)) { display(state.answers.get(key)); return; }
  const mine = request = new AbortController();
  root.busy.classList.add("on");
  try {
    const well = text.toWellFormed?.() ?? text;
    const wanted = [{text: well, deleted: state.deleted}];
    if (state.deleted.length && !state.answers.has("")) wanted.push({text: well, deleted: []});
    const [found, whole] = await api.explain(wanted, {target: "all"}, mine.signal);
    state.answers.set(key, found);
    if (whole) state.answers.set("", whole);
    if (state.text === text) display(found);
  } catch (error) {
    if (error.name === "AbortError") return;
    state.problem = error;
    render();
  } finally {
    if (request === mine) root.busy.classList.remove("on");
  }
}

function display(found) {
  const before = state.shown;
  state.problem = null;
  state.shown = found;
  const best = largestAt(found.scores);
  if (state.target === null || !state.pinned) state.target = best;
  if (state.target === state.against) { state.against = null; state.mode = ONE; }
  const changed = before && before.text === found.text && before.predicted !== found.predicted;
  render();
  const chance = percent(found.probabilities[best]);
  say(changed ? `The prediction changed from ${before.predicted} to ${found.predicted}, ${chance}.`
    : `Predicted: ${found.predicted}, ${chance}.`);
}

const largestAt = (values) => values.reduce((best, value, n) => value > values[best] ? n : best, 0);

// ---- deleting ---------------------------------------------------------------------------------

function remove(positions) {
  const now = new Set(state.deleted);
  positions.forEach((position) => now.add(position));
  setDeleted([...now].sort((a, b) => a - b));
}

function toggle(position) {
  if (state.deleted.includes(position)) setDeleted(state.deleted.filter((n) => n !== position));
  else remove([position]);
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

// ---- values -----------------------------------------------------------------------------------

function column(found, at) {
  const values = found.relevance.map((row) => row[at]);
  if (found.parameters.occurrences !== "equal shares") return values;
  const shown = [];  // in a bag of words each occurrence shows its word's whole value
  for (const entry of pooled(found.words, values)) for (const n of entry.places) shown[n] = entry.value;
  return shown;
}

function valuesOf(found, mode = state.mode) {
  const first = column(found, state.target);
  if (mode !== CONTRAST || state.against === null) return first;
  const second = column(found, state.against);
  return first.map((value, n) => value - second[n]);
}

function panels(found) {
  const names = found.classes.map(String), parts = pieces(found.text, found.spans, found.truncated);
  const gone = new Set(state.deleted), against = state.against;
  const one = (title, values, figures) => ({title, values, parts, gone, note: note(found, figures)});
  const figures = (at) => ["scores", "padding", "residual"].map((field) => found[field][at]);
  let made;
  if (state.mode === CONTRAST && against !== null) {
    const second = figures(against);
    made = [one(`${names[state.target]} rather than ${names[against]}`, valuesOf(found),
      figures(state.target).map((value, n) => value - second[n]))];
  } else {
    const shown = state.mode === BESIDE && against !== null ? [state.target, against] : [state.target];
    made = shown.map((at) => one(names[at], column(found, at), figures(at)));
  }
  const full = largest(...made.map((panel) => panel.values));
  made.forEach((panel) => { panel.full = full; });
  return made;
}

function note(found, [score, padding, residual]) {
  const words = score - padding - residual, small = 1e-4 * Math.max(1, Math.abs(score));
  let line = `score ${signed(score)} = words ${signed(words)}`;
  if (Math.abs(padding) > small) line += `, no word's ${signed(padding)}`;
  line += Math.abs(residual) <= small ? `, left over ${Math.abs(residual).toExponential(0).replace("-", "−")}`
    : `, unexplained ${number(residual)}`;
  return found.parameters.occurrences === "equal shares"
    ? `${line}; occurrences of a word share its value` : line;
}

// ---- on the screen ----------------------------------------------------------------------------

function render() {
  renderAbout();
  const focused = selectorOf(document.activeElement), scrolled = root.result.querySelector(".classes")?.scrollTop ?? 0;
  const notices = [state.notice && h("p", {className: "notice"}, state.notice),
    state.problem && problem(state.problem)];
  if (!state.shown) {
    root.result.replaceChildren(...notices.filter(Boolean), state.problem ? "" : empty());
    return;
  }
  const found = state.shown, shown = panels(found);
  root.result.replaceChildren(...notices.filter(Boolean), verdict(found), flipped(), ...remarks(found),
    h("div", {className: "columns"},
      h("div", {className: "reading"}, toolbar(found, shown), key(found, shown[0].full),
        h("div", {className: `ww panels-${shown.length}`}, ...shown.map((panel, n) => drawn(panel, found, n)))),
      h("aside", {"aria-label": "Classes and words"}, classList(found), wordLists(found, shown[0]))));
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

function verdict(found) {
  const best = largestAt(found.scores), right = state.label === String(found.predicted);
  return h("p", {className: "verdict"}, "Predicted ", h("b", {}, name(found.predicted)), ` ${percent(found.probabilities[best])}`,
    state.label === null ? "" : h("span", {className: right ? "right" : "wrong"}, right ? ", as labelled" : ", which is wrong"));
}

function empty() {
  const {model, corpus} = root.server;
  const from = corpus ? "take any document of the corpus, or look through it in the other views"
    : "to look through documents, too, start the server with a corpus";
  return h("div", {className: "empty"},
    h("p", {}, "Paste a text above: you will see which words made the model say what it says, for each of its " +
      `${model.classes.length} classes. Then delete words and watch what changes; or ${from}.`),
    h("p", {className: "examples"}, "For example: ", ...["The shuttle reached orbit.",
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
  if (!whole || whole.predicted === state.shown.predicted) return "";
  return h("p", {className: "flip"}, "The deletions changed the prediction: ", name(whole.predicted), " → ",
    h("b", {}, name(state.shown.predicted)));
}

function remarks(found) {
  const said = [];
  if (!found.words.length) said.push("There is no word in this text: what the model says of it says nothing.");
  else if (!found.known.some(Boolean)) {
    said.push("The model knows none of these words: the prediction says nothing of the text.");
  }
  if (!found.conserved) said.push("Relevance does NOT add up to the score here.");
  if (found.truncated) {
    said.push(`The model read the first ${counted(found.words.length, "word")}; ` +
      `${counted(found.truncated, "more was", "more were")} left out.`);
  }
  return said.map((line) => h("p", {className: "notice"}, line));
}

function toolbar(found, shown) {
  const options = (chosen, none) => [none && h("option", {value: "", selected: chosen === null}, none),
    ...found.classes.map((label, n) => h("option", {value: n, selected: n === chosen}, oneLine(label)))];
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
      h("details", {className: "menu"}, h("summary", {}, "Take along"), h("div", {onclick: closeMenu},
        button("Copy as image", () => takeImage(shown)), button("Copy as HTML", () => takeHtml(shown)),
        button("Download JSON", () => takeJson(found)), button("Copy link", takeLink)))));
}

function closeMenu(event) { event.currentTarget.parentElement.open = false; }

function key(found, full) {
  return h("div", {className: "ww"}, legend(full, {
    for: state.mode === CONTRAST ? "for the first" : "for", truncated: found.truncated,
    unknown: found.known.includes(false), gone: state.deleted.length > 0}));
}

// The words stay where they are while classes change and words go: they are coloured anew.
let texts = {of: null, made: []};

function drawn(panel, found, at) {
  if (texts.of !== found.text) texts = {of: found.text, made: []};
  texts.made[at] ??= liveText(panel.parts, found.known, at);
  const one = texts.made[at];
  Object.assign(one, {panel, found});
  one.colour(panel.values, panel.full, panel.gone);
  return h("section", {}, h("h2", {dir: "auto"}, oneLine(panel.title)), h("p", {className: "note"}, panel.note), one.text);
}

function liveText(parts, known, at) {
  const one = colouredText(parts, known), {text} = one;
  text.classList.add("live");
  text.tabIndex = 0;
  text.dataset.panel = at;
  text.setAttribute("role", "group");
  text.setAttribute("aria-label", "The text. Arrow keys walk through its words, Enter deletes one or takes it back.");
  listen(one);
  return one;
}

function classList(found) {
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
      h("bdi", {className: "word"}, label), track, h("span", {className: "value"}, percent(found.probabilities[n])),
      h("span", {className: "score"}, signed(found.scores[n]),
        before && Math.abs(change) > 5e-3 ? h("small", {}, ` (${signed(change)})`) : null)),
      h("button", {type: "button", className: "versus", disabled: n === state.target,
        "aria-pressed": String(n === state.against), "aria-label": `Compare with ${label}`,
        title: `compare with ${label}`, "data-versus": n, onclick: () => compare(n === state.against ? null : n)}, "vs")));
  }
  return h("section", {}, h("h2", {}, "Classes"),
    h("p", {className: "note"}, before ? "Probability and score; in brackets what the deletions changed."
      : "Probability and score. Choose one to see why."), list);
}

function wordLists(found, panel) {
  const live = found.words.map((word, n) => n).filter((n) => !panel.gone.has(n));
  const raw = state.mode === CONTRAST && state.against !== null
    ? found.relevance.map((row) => row[state.target] - row[state.against])
    : found.relevance.map((row) => row[state.target]);
  const entries = pooled(live.map((n) => found.words[n]), live.map((n) => raw[n]));
  entries.forEach((entry) => { entry.places = entry.places.map((at) => live[at]); });
  const full = entries.length ? Math.abs(entries[0].value) : 0;
  const some = (sign) => entries.filter((entry) => entry.value * sign > 0).slice(0, LISTED);
  const part = (title, list) => h("section", {}, h("h2", {}, title), list.length
    ? bars(list, full, (entry) => flash(entry.places)) : h("p", {className: "note"}, "none"));
  const names = found.classes.map(oneLine);
  const against = state.mode === CONTRAST && state.against !== null ? `Words for ${names[state.against]}` : "Words against it";
  return h("div", {className: "wordlists"}, part(`Words for ${names[state.target]}`, some(1)), part(against, some(-1)));
}

function flash(places) {
  const text = root.result.querySelector(".text.live");
  places.forEach((n) => {
    const word = text.querySelector(`[data-n="${n}"]`);
    word?.classList.add("flash");
    setTimeout(() => word?.classList.remove("flash"), 1500);
  });
  text.querySelector(`[data-n="${places[0]}"]`)?.scrollIntoView({block: "center", behavior: "smooth"});
}

// Choosing recolours what is there: the answer holds all classes.
function pick(n) {
  state.target = n;
  state.pinned = true;
  if (state.against === n) { state.against = null; state.mode = ONE; }
  render();
  say(`Coloured for ${state.shown.classes[n]}.`);
}

function compare(n) {
  state.pinned = true;
  state.against = n === state.target ? null : n;
  state.mode = state.against === null ? ONE : state.mode === BESIDE ? BESIDE : CONTRAST;
  render();
}

// ---- words under the pointer, and under the keys ----------------------------------------------

const tip = document.getElementById("tip");

function listen(one) {
  const {text, words} = one;
  let at = -1, touched = -1;
  const wordOf = (event) => {
    const n = event.target.dataset?.n;
    return n === undefined ? -1 : Number(n);
  };
  const tell = (n, x, y) => showTip(n, one.panel, one.found, x, y, touched === n);
  text.addEventListener("click", (event) => {
    const n = wordOf(event);
    if (n < 0) return;
    if (event.pointerType === "touch" && touched !== n) {  // a finger cannot point: the first tap does
      touched = n;
      tell(n, event.clientX, event.clientY + 18);
      return;
    }
    touched = -1;
    tip.hidden = true;
    toggle(n);
  });
  text.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const n = wordOf(event);
    if (n < 0) tip.hidden = true;
    else tell(n, event.clientX, event.clientY + 18);
  });
  text.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") tip.hidden = true; });
  text.addEventListener("blur", () => { tip.hidden = true; words[at]?.classList.remove("here"); });
  text.addEventListener("focus", () => { if (at >= 0) walk(at); });
  text.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (step && words.length) {
      event.preventDefault();
      walk(Math.max(0, Math.min(words.length - 1, at + step)));
    } else if (["Enter", "Delete", "Backspace", " "].includes(event.key) && at >= 0) {
      event.preventDefault();
      toggle(at);
    } else if (event.key === "Escape") tip.hidden = true;
  });
  function walk(n) {
    words[at]?.classList.remove("here");
    at = n;
    words[n].classList.add("here");
    words[n].scrollIntoView({block: "nearest"});
    const box = words[n].getBoundingClientRect();
    tell(n, box.left, box.bottom + 6);
    say(`${one.found.words[n]}, ${one.panel.gone.has(n) ? "deleted" : number(one.panel.values[n])}`);
  }
}

function showTip(n, panel, found, x, y, touched = false) {
  const row = found.relevance[n], order = row.map((value, k) => k).sort((a, b) => row[b] - row[a]);
  const line = (k) => h("li", {}, `${oneLine(found.classes[k])} `, h("b", {}, number(row[k])));
  const gone = panel.gone.has(n);
  tip.replaceChildren(...[
    h("p", {}, h("b", {}, name(found.words[n])), gone ? " deleted" : ` ${number(panel.values[n])}`,
      found.known[n] ? "" : ", unknown to the model"),
    !gone && row.length > 2 && h("ul", {}, ...order.slice(0, 3).map(line), h("li", {}, "…"),
      ...order.slice(-2).map(line)),
    h("p", {className: "note"}, `${touched ? "Tap again" : "Click"} to ${gone ? "take it back" : "delete it"}`)].filter(Boolean));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + box.height > innerHeight ? Math.max(4, y - box.height - 36) : y}px`;
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

// ---- taking along -----------------------------------------------------------------------------

function told(done, how) {
  const line = h("p", {className: "notice", role: "status"}, done ? how[0] : how[1]);
  root.result.prepend(line);
  setTimeout(() => line.remove(), 4000);
}

async function takeImage(shown) {
  try {
    const picture = await asPicture(shown);
    const done = await copiedPicture(picture);
    if (!done) downloaded(picture, "why.png");
    told(done, ["The picture is in the clipboard.", "This browser lets no page copy pictures: it was saved as why.png."]);
  } catch (error) {
    state.problem = error;
    render();
  }
}

function takeHtml(shown) {
  const html = asHtml(shown), done = copiedText({"text/html": html, "text/plain": state.shown.text});
  if (!done) downloaded(new Blob([`<!DOCTYPE html><meta charset="utf-8">${html}`], {type: "text/html"}), "why.html");
  told(done, ["The coloured text is in the clipboard.", "This browser lets no page copy HTML: it was saved as why.html."]);
}

function takeJson(found) {
  downloaded(new Blob([JSON.stringify(found)], {type: "application/json"}), "why.json");
}

export async function link() {
  const found = state.shown, values = new URLSearchParams();
  values.set("m", root.server.model.identity.slice(0, 16));
  values.set("c", String(found.classes[state.target]));
  if (state.against !== null) {
    values.set("a", String(found.classes[state.against]));
    values.set("v", state.mode);
  }
  if (state.deleted.length) values.set("d", state.deleted.join());
  values.set("t", await packedText(state.text));
  return `${location.origin}${location.pathname}#/explain?${values}`;
}

async function takeLink() {
  const address = await link();
  const done = copiedText({"text/plain": address});
  history.replaceState(null, "", address);
  const long = address.length > LONG_LINK
    ? ` It has ${counted(address.length, "character")}; some programs cut such links.` : "";
  told(done, [`The link is in the clipboard; the text is in the link itself.${long}`,
    `The link is in the address bar; the text is in the link itself.${long}`]);
}
