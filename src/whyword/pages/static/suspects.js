// The page of suspects: tick, filter, download. The data is beside the rows, in their order.
const source = document.getElementById("data");
const [BEFORE, BEHIND, ENTRIES, TURNED] = [0, 1, 2, 3];
const [WRONG, RIGHT, OTHER] = [0, 1, 2];
const at = (id) => document.getElementById(id);

function work(data) {
  const rows = [...document.querySelectorAll("ol.rows > li")];
  const boxes = rows.map((row) => row.querySelector("input"));
  const searched = data.rows.map((one, n) =>
    `${one[ENTRIES].join(" ")} ${rows[n].querySelector(".class").textContent}`.toLowerCase());
  let kept = true;

  const ticked = () => data.rows.filter((_, n) => boxes[n].checked);
  const entries = () => [...new Set(ticked().flatMap((one) => one[ENTRIES]))];
  const number = (value) => value.toLocaleString("en");

  function filter() {
    const verdict = at("verdict").value, group = at("class").value;
    const words = at("words").value.trim().toLowerCase();
    let count = 0;
    rows.forEach((row, n) => {
      const fits = (!verdict
          || (verdict === "ticked" ? boxes[n].checked : row.dataset.verdict === verdict))
        && (!group || row.dataset.class === group) && searched[n].includes(words);
      row.hidden = !fits;
      count += fits;
    });
    at("shown").textContent = `${number(count)} of ${number(rows.length)} rows are shown.`;
  }

  function say() {
    const chosen = ticked(), sum = (place) => chosen.reduce((all, one) => all + one[TURNED][place], 0);
    at("ticked").textContent = number(chosen.length);
    const other = sum(OTHER) ? `, ${number(sum(OTHER))} otherwise` : "";
    at("turns").textContent = chosen.length === 0 ? ""
      : `Without each by itself, added up, ${number(sum(WRONG))} ${data.counted} ${sum(WRONG) === 1 ? "prediction turns" : "predictions turn"} wrong, `
        + `${number(sum(RIGHT))} right${other}.`;
    at("entries").value = entries().join("\n");
    for (const id of ["download", "copy"]) at(id).disabled = chosen.length === 0;
  }

  function download() {
    const lines = data.rows.map((one, n) =>
      `${one[BEFORE]},${boxes[n].checked ? "yes" : ""},${one[BEHIND]}`);
    const table = new Blob([[data.columns, ...lines, ""].join("\r\n")], {type: "text/csv"});
    const link = document.createElement("a");
    link.href = URL.createObjectURL(table);
    link.download = "suspects.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    kept = true;
    at("done").textContent = "suspects.csv is downloaded.";
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(entries().join("\n"));
      at("done").textContent = `${number(entries().length)} entries are copied.`;
    } catch {  // a browser that forbids it: they are there to be copied by hand
      at("entries").closest("details").open = true;
      at("entries").select();
      at("done").textContent = "Copy them from the list.";
    }
  }

  boxes.forEach((box) => box.addEventListener("change", () => {
    kept = false;
    at("done").textContent = "";
    say();
  }));
  for (const row of rows) {  // what is suspected is seen at once in a long document
    row.querySelector("details").addEventListener("toggle", () => {
      for (const text of row.querySelectorAll(".text")) {
        const word = text.querySelector(".m");
        if (word) text.scrollTop = word.offsetTop - text.offsetTop - text.clientHeight / 3;
      }
    });
  }
  for (const id of ["verdict", "class", "words"]) at(id).addEventListener("input", filter);
  at("download").addEventListener("click", download);
  at("copy").addEventListener("click", copy);
  addEventListener("beforeunload", (event) => {
    if (!kept && ticked().length) event.preventDefault();
  });
  filter();
  say();
}

if (source) work(JSON.parse(source.textContent));
