// A coloured text whose words show their numbers and are deleted by a click, a tap or a key.
import {columnOf} from "./answers.js";
import {h, name, number, oneLine, say} from "./dom.js";
import {colouredText, edge, occurrences} from "./heatmap.js";

const tip = document.getElementById("tip");

// The words stay where they are while classes change and words go: they are coloured anew.
let texts = {of: null, made: []};

export function drawn(panel, found, at, toggle) {
  if (texts.of !== found.text) texts = {of: found.text, made: []};
  texts.made[at] ??= liveText(panel.parts, panel.known, at, toggle);
  const one = texts.made[at];
  Object.assign(one, {panel, found});
  one.colour(panel.values, panel.full, panel.gone);
  return h("section", {}, h("h2", {dir: "auto"}, oneLine(panel.title)), h("p", {className: "note"}, panel.note), one.text,
    edge(panel.outside, panel.full));
}

function liveText(parts, known, at, toggle) {
  const one = colouredText(parts, known), {text} = one;
  text.classList.add("live");
  text.tabIndex = 0;
  text.dataset.panel = at;
  text.setAttribute("role", "group");
  text.setAttribute("aria-label", "The text. Arrow keys walk through its words, Enter deletes one or takes it back, " +
    "Shift and Enter all its occurrences.");
  listen(one, toggle);
  return one;
}

function listen(one, toggle) {
  const {text, words} = one;
  let at = -1, touched = -1;
  const wordOf = (event) => {
    const n = event.target.dataset?.n;
    return n === undefined ? -1 : Number(n);
  };
  const change = (n, everywhere) => {
    touched = -1;
    tip.hidden = true;
    toggle(n, everywhere);
  };
  const tell = (n, x, y) => showTip(n, one.panel, one.found, x, y, touched === n && (() => change(n, true)));
  text.addEventListener("click", (event) => {
    const n = wordOf(event);
    if (n < 0) return;
    if (event.pointerType === "touch" && touched !== n) {  // a finger cannot point: the first tap does
      touched = n;
      tell(n, event.clientX, event.clientY + 18);
      return;
    }
    change(n, event.shiftKey);
  });
  text.addEventListener("mousedown", (event) => { if (event.shiftKey) event.preventDefault(); });  // selects nothing
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
    const right = getComputedStyle(text).direction === "rtl" ? -1 : 1;
    const step = {ArrowRight: right, ArrowDown: 1, ArrowLeft: -right, ArrowUp: -1}[event.key];
    if (step && words.length) {
      event.preventDefault();
      walk(Math.max(0, Math.min(words.length - 1, at + step)));
    } else if (["Enter", "Delete", "Backspace", " "].includes(event.key) && at >= 0) {
      event.preventDefault();
      toggle(at, event.shiftKey);
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

// A finger has no Shift key: after its first tap there is a button.
function showTip(n, panel, found, x, y, onEverywhere) {
  const row = found.relevance[n], order = row.map((value, k) => k).sort((a, b) => row[b] - row[a]);
  const line = (k) => h("li", {}, name(found.target[k]), " ", h("b", {}, number(row[k])));
  const first = panel.compared.map((at) => columnOf(found, at)), others = order.filter((k) => !first.includes(k));
  const gone = panel.gone.has(n), count = occurrences(found, n).length;
  const act = gone ? "take" : "delete", all = `${act} all ${count}${gone ? " back" : ""}`;
  tip.replaceChildren(...[
    h("p", {}, h("b", {}, name(found.words[n])), gone ? " deleted" : ` ${number(panel.values[n])}`,
      panel.known[n] ? "" : ", unknown to the model"),
    !gone && row.length > 2 && h("ul", {}, ...first.map(line),
      others.length > 0 && h("li", {className: "others"}, "other classes"),
      ...others.slice(0, 2).map(line), others.length > 4 && h("li", {}, "…"), ...others.slice(2).slice(-2).map(line)),
    h("p", {className: "note"}, `${onEverywhere ? "Tap again" : "Click"} to ${act} it${gone ? " back" : ""}`,
      count > 1 && !onEverywhere && `, with Shift to ${all}`),
    count > 1 && onEverywhere && h("button", {type: "button", onclick: onEverywhere,
      onmousedown: (event) => event.preventDefault()},  // the text keeps the focus: it would hide this
    all.charAt(0).toUpperCase() + all.slice(1))].filter(Boolean));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + box.height > innerHeight ? Math.max(4, y - box.height - 36) : y}px`;
}
