// Which view is shown: the address's fragment says it.
import * as api from "./api.js";
import {counted, h, name, oneLine, percent, problem, waiting} from "./dom.js";
import * as explainView from "./explainview.js";
import * as corpusView from "./corpusview.js";
import * as errorsView from "./errorsview.js";
import * as suspectsView from "./suspectsview.js";

const VIEWS = {explain: explainView, corpus: corpusView, errors: errorsView, suspects: suspectsView};
const SHOWN = {  // by views that need a corpus
  corpus: "a map of documents, the words of each class, and search",
  errors: "which classes are taken for which, and what misled the model",
  suspects: "what the model perhaps should not have learned, and what becomes of predictions without it"};
const view = document.getElementById("view");
let server = null, before = null;

function address() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [first, ...rest] = path.split("/");
  return {name: first in VIEWS ? first : "explain", rest, parameters: new URLSearchParams(query ?? "")};
}

async function route() {
  if (location.hash === "#view") return;
  const {name: wanted, rest, parameters} = address();
  document.getElementById("tip").hidden = true;
  document.title = `whyword: ${wanted}`;
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.getAttribute("href") === `#/${wanted}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  view.ondrop = view.ondragover = view.ondragleave = null;
  view.className = wanted;
  if (before !== null && before !== wanted) {
    view.focus({preventScroll: true});
    scrollTo(0, 0);
  }
  before = wanted;
  if (wanted !== "explain" && !server.corpus) {
    view.replaceChildren(noCorpus(wanted));
    return;
  }
  try {
    await VIEWS[wanted].show(view, parameters, server, rest);
  } catch (error) {
    if (error.name !== "AbortError") view.replaceChildren(problem(error));
  }
}

function noCorpus(wanted) {
  return h("div", {className: "empty"}, h("h2", {}, "No corpus is served"),
    h("p", {}, `With one, this view shows ${SHOWN[wanted]}. Start the server with documents behind the model:`),
    h("pre", {}, "whyword serve MODEL CORPUS"),
    h("p", {}, "A corpus is a folder, a CSV, JSON Lines or Parquet file, or 20newsgroups:test."));
}

function describe({model, corpus}) {
  const kind = model.kind.length <= 3 ? model.kind.toUpperCase() : oneLine(model.kind);
  const parts = [`${kind}, ${counted(model.classes.length, "class", "classes")}`];
  if (model.identity) parts.push(", ", h("span", {title: `identity ${model.identity}`}, model.identity.slice(0, 8)));
  if (corpus) {
    parts.push(" · ", name(corpus.name), `, ${counted(corpus.documents, "document")}`);
    if (corpus.accuracy !== null) parts.push(`, ${percent(corpus.accuracy)} right`);
  }
  const reads = Object.entries(model.reads), more = [h("a", {href: "/api/docs"}, "API")];
  if (reads.length) {
    more.unshift(h("details", {className: "reads"}, h("summary", {}, "how it reads"),
      h("dl", {}, ...reads.flatMap(([what, said]) => [h("dt", {}, what), h("dd", {}, name(said))]))), " · ");
  }
  parts.push(" · ", h("span", {className: "together"}, ...more));
  document.getElementById("model").replaceChildren(...parts);
}

view.replaceChildren(waiting("Asking the server …"));
try {
  server = await api.about();
  describe(server);
  addEventListener("hashchange", route);
  await route();
} catch (error) {
  view.replaceChildren(problem(error), h("button", {type: "button", onclick: () => location.reload()}, "Try again"));
}
