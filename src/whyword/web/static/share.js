// An explanation to take along: picture, HTML, JSON, link.
import {isUnderlined, paint} from "./heatmap.js";
import {number, oneLine, visible} from "./dom.js";

const SMALL = "14px system-ui, sans-serif";
const WIDTH = 900, EDGE = 28, SIZE = 17, LINE = 28, MOST_LINES = 600;

// ---- the link: everything in the fragment, which never leaves the browser ---------------------

const toBase64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

async function through(stream, bytes) {
  const result = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await result.arrayBuffer());
}

export async function packedText(text) {
  const bytes = new TextEncoder().encode(text);
  return toBase64(await through(new CompressionStream("deflate-raw"), bytes));
}

export async function unpackedText(packed) {
  const bytes = await through(new DecompressionStream("deflate-raw"), fromBase64(packed));
  return new TextDecoder().decode(bytes);
}

// ---- HTML with its colours in it, for documents and mails -------------------------------------

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  .replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export function asHtml(panels, said) {
  const parts = [`<p>${escaped(said)}</p>`];
  for (const panel of panels) {
    parts.push(`<h3 dir="auto">${escaped(oneLine(panel.title))}</h3><p>${escaped(panel.note)}</p>`,
      '<p dir="auto" style="white-space:pre-wrap;unicode-bidi:plaintext;line-height:1.6">');
    for (const piece of panel.parts) {
      const shown = escaped(visible(piece.text));
      if (piece.word < 0) { parts.push(shown); continue; }
      if (panel.gone.has(piece.word)) { parts.push(`<s>${shown}</s>`); continue; }
      const value = panel.values[piece.word], ground = paint(value, panel.full);
      const line = isUnderlined(value, panel.full) ? ";text-decoration:underline" : "";
      parts.push(ground
        ? `<span style="background-color:${ground}${line}" title="${number(value)}">${shown}</span>` : shown);
    }
    parts.push("</p>");
  }
  return parts.join("");
}

// ---- a picture: white ground, whatever the screen's colours ------------------------------------

export function asPicture(panels, said) {
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
  const font = `${SIZE}px system-ui, sans-serif`;
  context.font = font;
  const rows = [[{x: EDGE, text: said, style: SMALL}], ...panels.flatMap((panel) => layout(panel, context))].slice(0, MOST_LINES);
  canvas.width = 2 * WIDTH;
  canvas.height = 2 * (rows.length * LINE + 2 * EDGE);
  context.scale(2, 2);
  context.fillStyle = "#fff";
  context.fillRect(0, 0, WIDTH, canvas.height / 2);
  context.textBaseline = "middle";
  rows.forEach((row, number) => {
    const y = EDGE + number * LINE + LINE / 2;
    for (const {x, text, ground, style, gone, underlined} of row) {
      context.font = style ?? font;
      const wide = context.measureText(text).width;
      if (ground) {
        context.fillStyle = ground;
        context.fillRect(x - 1, y - LINE / 2 + 3, wide + 2, LINE - 6);
      }
      context.fillStyle = gone ? "#888" : "#111";
      context.fillText(text, x, y);
      if (gone) context.fillRect(x, y, wide, 1);
      if (underlined) context.fillRect(x, y + SIZE / 2 + 1, wide, 1);
    }
  });
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("The picture is too large.")), "image/png"));
}

function layout(panel, context) {
  const title = `600 ${SIZE}px system-ui, sans-serif`;
  const scale = `; full colour: ${number(panel.full)}`;
  const rows = [[{x: EDGE, text: oneLine(panel.title), style: title}],
    [{x: EDGE, text: panel.note + scale, style: SMALL}], []];
  let x = EDGE;
  const next = () => { rows.push([]); x = EDGE; };
  for (const piece of panel.parts) {
    const values = piece.word >= 0 ? panel.values[piece.word] : 0;
    const ground = piece.word >= 0 && !panel.gone.has(piece.word) ? paint(values, panel.full) : "";
    const gone = panel.gone.has(piece.word), underlined = !gone && isUnderlined(values, panel.full);
    for (const run of visible(piece.text).split(/(\n|\s+)/)) {
      if (run === "") continue;
      if (run.includes("\n")) { for (const _ of run.matchAll(/\n/g)) next(); continue; }
      for (const text of cut(run, context)) {
        const wide = context.measureText(text).width;
        if (x + wide > WIDTH - EDGE && x > EDGE) next();
        rows.at(-1).push({x, text, ground: text.trim() ? ground : "", gone, underlined});
        x += wide;
      }
    }
  }
  while (!rows.at(-1).some(({text}) => text.trim())) rows.pop();
  rows.push([]);
  return rows;
}

function cut(text, context) {  // what is wider than a line, in pieces that are not
  if (context.measureText(text).width <= WIDTH - 2 * EDGE) return [text];
  const letters = [...text], found = [];
  for (let at = 0; at < letters.length; at += 40) found.push(letters.slice(at, at + 40).join(""));
  return found;
}

// ---- where it goes ----------------------------------------------------------------------------

export async function copiedPicture(blob) {
  if (!navigator.clipboard?.write) return false;
  try {
    await navigator.clipboard.write([new ClipboardItem({[blob.type]: blob})]);
    return true;
  } catch {
    return false;
  }
}

// By the event, not by navigator.clipboard: that would apply the page's policy to the HTML, and
// works on a few origins only.
export function copiedText(forms) {
  const copy = (event) => {
    event.preventDefault();
    for (const [kind, text] of Object.entries(forms)) event.clipboardData.setData(kind, text);
  };
  document.addEventListener("copy", copy, {once: true});
  try {
    return document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", copy);
  }
}

export function downloaded(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
