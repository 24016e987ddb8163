// Requests to the server this page came from.

export class Problem extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const KEY = "whyword token";
const dialog = document.getElementById("ask-token");

function askForToken(wrong) {
  const field = document.getElementById("token");
  document.getElementById("token-wrong").hidden = !wrong;
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(KEY, field.value.trim());
      field.value = "";
      resolve();
    }, {once: true});
  });
}

let asking = null;  // several requests may find that there is no token: one dialog does

export async function ask(path, body, signal) {
  const token = sessionStorage.getItem(KEY), headers = {};
  if (body !== undefined) headers["content-type"] = "application/json";
  if (token) headers.authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, {
      method: body === undefined ? "GET" : "POST", headers, signal, credentials: "omit",
      body: body === undefined ? undefined : JSON.stringify(body)});
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer. Is it still running?", 0);
  }
  if (answer.status === 401) {
    asking ??= askForToken(Boolean(token)).finally(() => { asking = null; });
    await asking;
    return ask(path, body, signal);
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Problem(sentence(told.detail ?? `the server answered ${answer.status}`), answer.status);
  }
  return answer.json();
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

const query = (values) => {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

export const about = () => ask("/api/about");
export const explain = (documents, options, signal) =>
  ask("/api/explain", {documents, ...options}, signal).then((answer) => answer.explanations);
export const documentMap = () => ask("/api/map");
export const confusion = () => ask("/api/confusion");
export const classWords = (top, rank, units, symbols) => ask(`/api/words${query({top, rank, units, symbols})}`);
export const wordDocuments = (target, word, units) => ask(`/api/words/documents${query({target, word, units})}`);
export const whatIf = (words, signal) => ask("/api/what-if", {words}, signal);
export const suspects = (values, signal) => ask(`/api/suspects${query(values)}`, undefined, signal);
export const suspectsTable = (artefacts) => ask("/api/suspects/table", {artefacts}).then((answer) => answer.csv);
export const search = (text, top, signal) => ask("/api/search", {query: text, top}, signal);
export const corpusDocument = (n) => ask(`/api/documents/${n}`);
export const documents = (values) => ask(`/api/documents${query(values)}`);
