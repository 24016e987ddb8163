// The menu of what can be taken along.
import {counted, h, oneLine} from "./dom.js";
import {asHtml, asPicture, copiedPicture, copiedText, downloaded, packedText} from "./share.js";
import {state} from "./state.js";

const LONG_LINK = 8_000;  // characters

export function menu(shown, found, identity, tell) {
  const said = `Predicted: ${oneLine(found.predicted)}. Red words speak for the class, blue (underlined) ones against it.`;
  const button = (title, action) => h("button", {type: "button", onclick: action}, title);
  return h("details", {className: "menu"}, h("summary", {}, "Export"), h("div", {onclick: close},
    button("Copy as image", () => takeImage(shown, said, tell)), button("Copy as HTML", () => takeHtml(shown, said, tell)),
    button("Download JSON", takeJson), button("Copy link", () => takeLink(identity, tell))));
}

function close(event) { event.currentTarget.parentElement.open = false; }

async function takeImage(shown, said, tell) {
  try {
    const picture = await asPicture(shown, said);
    const done = await copiedPicture(picture);
    if (!done) downloaded(picture, "why.png");
    tell(done ? "The picture is in the clipboard."
      : "This browser lets no page copy pictures: it was saved as why.png.");
  } catch (error) {
    tell(error.message);
  }
}

function takeHtml(shown, said, tell) {
  const html = asHtml(shown, said), done = copiedText({"text/html": html, "text/plain": state.shown.text});
  if (!done) downloaded(new Blob([`<!DOCTYPE html><meta charset="utf-8">${html}`], {type: "text/html"}), "why.html");
  tell(done ? "The coloured text is in the clipboard."
    : "This browser lets no page copy HTML: it was saved as why.html.");
}

function takeJson() {
  downloaded(new Blob([JSON.stringify(state.shown)], {type: "application/json"}), "why.json");
}

async function link(identity) {
  const found = state.shown, values = new URLSearchParams();
  values.set("m", identity.slice(0, 16));
  values.set("c", String(found.classes[state.target]));
  if (state.against !== null) {
    values.set("a", String(found.classes[state.against]));
    values.set("v", state.mode);
  }
  if (state.deleted.length) values.set("d", state.deleted.join());
  values.set("t", await packedText(state.text));
  return `${location.origin}${location.pathname}#/explain?${values}`;
}

async function takeLink(identity, tell) {
  const address = await link(identity);
  const done = copiedText({"text/plain": address});
  history.replaceState(null, "", address);
  const long = address.length > LONG_LINK
    ? ` It has ${counted(address.length, "character")}; some programs cut such links.` : "";
  tell(`The link is in the ${done ? "clipboard" : "address bar"}; the text is in the link itself.${long}`);
}
