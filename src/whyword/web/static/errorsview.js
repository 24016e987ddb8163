// Which classes are taken for which, and what misled the model.
import * as api from "./api.js";
import {counted, h, name, number, oneLine, percent, problem, waiting} from "./dom.js";
import {bars, colouredText, largest, legend, pieces, pooled, unreadWords, wordValues} from "./heatmap.js";
import {opening} from "./corpusview.js";

const MOST = 12, PAGE = 8, WORDS = 12;  // confusions listed, documents at a time, words that mislead
let kept = null;

export async function show(view, parameters, server) {
  if (server.model.multilabel) {
    view.replaceChildren(h("p", {className: "empty"}, "This model predicts several labels, each by itself, so that none is taken for another. " +
      "The map has filters by right or wrong; whyword evaluate says how well each label is found."));
    return;
  }
  view.replaceChildren(waiting("Fetching the confusions …"));
  kept ??= await api.confusion();
  const label = parameters.get("label"), predicted = parameters.get("predicted");
  const cell = h("section", {className: "cell", "aria-live": "polite", "aria-label": "Documents of a cell"});
  const wrong = confusions(kept), right = kept.counts.flat().reduce((a, b) => a + b, 0) -
    wrong.reduce((sum, one) => sum + one.count, 0);
  view.replaceChildren(
    h("p", {className: "note"}, `${counted(right, "document")} predicted right, ` +
      `${counted(wrong.reduce((sum, one) => sum + one.count, 0), "document")} wrong. Choose a confusion to see its documents and ` +
      "what speaks for the predicted class rather than for the label."),
    h("div", {className: "errors-top"},
      h("section", {}, h("h2", {}, "Most frequent"), wrong.length ? frequent(wrong, label, predicted)
        : h("p", {className: "empty"}, "Every labelled document was predicted right.")),
      h("section", {className: "matrix-box", tabIndex: 0, "aria-label": "Confusion matrix; scrolls sideways"},
        matrix(kept, label, predicted))),
    cell);
  if (label !== null && predicted !== null) {
    await showCell(cell, label, predicted, server);
  } else if (wrong.length) {
    cell.replaceChildren(h("p", {className: "empty"}, "No cell is chosen yet."));
  }
}

const address = (label, predicted) => `#/errors?${new URLSearchParams({label, predicted})}`;

function confusions({labels, classes, counts}) {
  const found = [];
  counts.forEach((row, r) => row.forEach((count, c) => {
    if (count && labels[r] !== String(classes[c])) found.push({label: labels[r], predicted: String(classes[c]), count});
  }));
  return found.sort((a, b) => b.count - a.count);
}

function frequent(wrong, label, predicted) {
  return h("ol", {className: "frequent"}, ...wrong.slice(0, MOST).map((one) => h("li", {}, h("a", {
    href: address(one.label, one.predicted),
    "aria-current": one.label === label && one.predicted === predicted ? "true" : null},
  h("span", {className: "value"}, String(one.count)), " ", name(one.label), " → ", name(one.predicted)))));
}

function matrix({labels, classes, counts}, label, predicted) {
  const most = confusions({labels, classes, counts})[0]?.count ?? 1;
  const head = h("tr", {}, h("th", {scope: "col"}, h("span", {}, "label ↓ predicted →")), ...classes.map((one) =>
    h("th", {scope: "col", className: "turned"}, h("span", {}, oneLine(one)))));
  const rows = labels.map((row, r) => h("tr", {}, h("th", {scope: "row"}, oneLine(row)), ...classes.map((one, c) => {
    const count = counts[r][c], same = row === String(one);
    if (!count) return h("td", {}, "");
    const link = h("a", {href: address(row, String(one)), className: same ? "same" : "",
      "aria-current": row === label && String(one) === predicted ? "true" : null,
      "aria-label": `${count} labelled ${oneLine(row)}, predicted ${oneLine(one)}`,
      title: `${oneLine(row)} → ${oneLine(one)}`}, String(count));
    if (!same) link.style.setProperty("--strength", (0.08 + 0.55 * count / most).toFixed(3));
    return h("td", {}, link);
  })));
  return h("table", {className: "matrix"}, h("thead", {}, head), h("tbody", {}, ...rows));
}

// ---- the documents of a cell ------------------------------------------------------------------

async function showCell(cell, label, predicted, server) {
  const same = label === predicted, known = server.model.classes.map(String).includes(label);
  const list = h("div", {className: "ww"}), more = h("p", {}), misleading = h("div", {className: "misleading"});
  const title = same ? [name(label), ", predicted right"] : ["labelled ", name(label), ", predicted ", name(predicted)];
  cell.replaceChildren(h("h2", {}, ...title), misleading, list, more);
  const gathered = [];

  async function load() {
    more.replaceChildren(waiting("Explaining …"));
    try {
      const found = await api.documents({label, predicted, offset: gathered.length, limit: PAGE});
      const against = same || !known ? null : label;
      const explained = found.documents.length ? await explainedDocuments(found.documents, predicted, against) : [];
      explained.forEach((one, n) => {
        gathered.push(one);
        list.append(documentHeatmap(one, found.documents[n], predicted, against));
      });
      summarise(misleading, gathered, predicted, against, found.found);
      more.replaceChildren(...moreButton(found.found));
    } catch (error) {
      more.replaceChildren(problem(error), h("button", {type: "button", onclick: load}, "Try again"));
    }
  }
  function moreButton(all) {
    if (!all) return [h("span", {className: "empty"}, `No document was labelled ${oneLine(label)} and predicted ${oneLine(predicted)}.`)];
    if (gathered.length >= all) return [];
    return [h("button", {type: "button", onclick: load}, `Show more (${gathered.length} of ${all})`)];
  }
  await load();
  cell.scrollIntoView({block: "start"});
}

async function explainedDocuments(documents, target, against) {
  const options = against === null ? {target} : {target, against};
  try {
    return await api.explain(documents.map((one) => ({text: one.text})), options);
  } catch (error) {
    if (error.status !== 422 || documents.length === 1) throw error;
    const found = [];  // too much at once: one after the other
    for (const one of documents) found.push(...await explainedDocuments([one], target, against));
    return found;
  }
}

function documentHeatmap(found, entry, predicted, against) {
  const shown = wordValues(found, found.relevance), full = largest(shown);
  const {text, words, colour} = colouredText(pieces(found.text, found.spans, found.truncated, found.unread), found.known);
  colour(shown, full);
  words.forEach((word, n) => { word.title = `${oneLine(found.words[n])}: ${number(shown[n])}`; });
  const more = against === null ? {c: predicted} : {c: predicted, a: against};
  return h("article", {}, h("h3", {}, h("a", {href: opening(entry.number, more)}, name(entry.id))),
    h("p", {className: "note"}, name(predicted), against === null ? "" : [" rather than ", name(against)],
      ` (${percent(entry.probability)})`),
    legend(full, {for: "for the predicted class", against: against === null ? "against" : "for the label",
      unknown: found.known.includes(false), unread: unreadWords(found)}),
    h("div", {className: "clipped", tabIndex: 0, role: "region", "aria-label": `Text of ${oneLine(entry.id)}`}, text));
}

// What misled the model in these documents together: sums over words, in how many documents.
function summarise(place, gathered, predicted, against, all) {
  if (!gathered.length || against === null) { place.replaceChildren(); return; }
  const sums = new Map();
  for (const found of gathered) {
    for (const entry of pooled(found.words, found.relevance)) {
      const one = sums.get(entry.word) ?? {word: entry.word, value: 0, documents: 0};
      one.value += entry.value;
      one.documents += 1;
      sums.set(entry.word, one);
    }
  }
  const order = [...sums.values()].sort((a, b) => b.value - a.value).filter((one) => one.value > 0).slice(0, WORDS);
  order.forEach((one) => { one.note = `${number(one.value)} in ${one.documents}`; });
  place.replaceChildren(h("h3", {}, "What misleads most"), h("p", {className: "note"}, "Summed up over the ",
    gathered.length === all ? counted(all, "document") : `${gathered.length} documents shown (of ${all})`,
    "; then in how many of them the word occurs."), bars(order, order[0]?.value ?? 0));
}
