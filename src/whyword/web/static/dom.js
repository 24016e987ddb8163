// Elements made from data. Text is always set as text: nothing here parses HTML.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.includes("-") && name !== "list") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Characters that could steer the page, or hide: as the package shows them elsewhere.
const UNFIT = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffc\\ufffe\\uffff\\ufdd0-\\ufdef" +
  "\\u{d800}-\\u{dfff}\\u{e0000}-\\u{e007f}]", "gu");
const PICTURES = 0x2400;

export function visible(text) {
  return text.replace(/\r\n?/g, "\n").replace(UNFIT, (found) => {
    const code = found.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(PICTURES + code);
    return code === 0x7f ? "␡" : "·";
  });
}

export const labelText = (said) => Array.isArray(said) ? said.join(", ") || "no label" : String(said);
export const sameLabels = (one, other) => labelText([one].flat().sort()) === labelText([other].flat().map(String).sort());

export const oneLine = (text) => visible(labelText(text)).replace(/[\n\t]/g, "·");

export function number(value) {  // its sign and three digits that count
  if (value === null || !Number.isFinite(value)) return "no number";
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  let shown = digits > 5 ? value.toExponential(2) : value.toFixed(Math.min(digits, 20));
  if (digits > 0 && digits <= 5) shown = shown.replace(/\.?0+$/, "");
  if (Number(shown) === 0) return "0";
  return (value > 0 ? "+" : "") + shown.replace("-", "−").replace("e-", "e−");
}

export const signed = (value) =>  // to two places, for columns of numbers
  value === null ? "–" : (value > 0 ? "+" : "") + value.toFixed(2).replace("-", "−");

export const percent = (share) => share === null ? "–"
  : share > 0.9995 && share < 1 ? ">99.9 %" : share < 0.0005 && share > 0 ? "<0.1 %"
    : `${(100 * share).toFixed(1)} %`;

export const counted = (count, what, several = `${what}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? what : several}`;

const said = document.getElementById("said");
export function say(text) { said.textContent = text; }

export const dotted = (text) => text.split(/(?<=[.\-_/])/).flatMap((part) => [part, h("wbr")]);  // where it may break

export function name(text) { return h("bdi", {}, oneLine(text)); }

export function problem(error) {
  return h("p", {className: "problem", role: "alert"}, error.message || String(error));
}

export function waiting(what) { return h("p", {className: "waiting"}, what); }
