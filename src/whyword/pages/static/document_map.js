// The page of one map; scatter.js stands before it.
const data = JSON.parse(document.getElementById("data").textContent);
const [TITLE, GROUP, PREDICTED, WORDS, NOTE, TEXT, LEVELS] = [0, 1, 2, 3, 4, 5, 6];
const documents = data.documents;
const groups = [...new Set(documents.map((one) => one[GROUP]))].sort();
const groupOf = documents.map((one) => groups.indexOf(one[GROUP]));
const shown = groups.map(() => true);

function describe(n, hint) {
  const one = documents[n], title = document.createElement("b");
  title.textContent = one[TITLE];
  const predicted = one[PREDICTED] === one[GROUP] ? "" : ` (predicted: ${one[PREDICTED]})`;
  hint.append(title, `${one[GROUP]}${predicted}: ${one[WORDS]}`);
}

function open(n) {
  const one = documents[n], target = document.getElementById("document");
  const heading = document.createElement("h2"), note = document.createElement("p");
  const text = document.createElement("p");
  heading.textContent = `${one[TITLE]}: ${one[PREDICTED]}`;
  note.className = "note";
  note.textContent = one[NOTE];
  text.className = "text";
  text.dir = "auto";
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  one[TEXT].split("\u007f").forEach((piece, at) => {
    if (at % 2 === 0) { text.append(piece); return; }
    const word = document.createElement("span"), letter = one[LEVELS][(at - 1) / 2];
    const level = letters.indexOf(letter) - 20;
    word.className = letter === "?" ? "w u" : level > 0 ? `w p${level}`
      : level < 0 ? `w n${-level}${level < -2 ? " n" : ""}` : "w";
    word.textContent = piece;
    text.append(word);
  });
  target.replaceChildren(heading, note, text);
  target.scrollIntoView({block: "nearest"});
}

const drawing = scatter({
  canvas: document.getElementById("map"), hint: document.getElementById("hint"),
  points: data.points, groupOf, isShown: (n) => shown[groupOf[n]], describe, open});

const list = document.getElementById("groups");
const boxes = groups.map((group, number) => {
  const label = document.createElement("label"), box = document.createElement("input");
  box.type = "checkbox";
  box.checked = true;
  box.addEventListener("change", () => { shown[number] = box.checked; drawing.redraw(); });
  label.append(box, swatch(number), group);
  list.append(label);
  return box;
});
for (const [name, on] of [["all", true], ["none", false]]) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => {
    boxes.forEach((box, number) => { box.checked = on; shown[number] = on; });
    drawing.redraw();
  });
  list.append(button);
}
