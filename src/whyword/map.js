"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
    "#7f3c8d", "#808080", "#a5aa00", "#8c510a", "#e7298a", "#01665e"];
  const [TITLE, GROUP, PREDICTED, WORDS, NOTE, TEXT, LEVELS] = [0, 1, 2, 3, 4, 5, 6];
  const documents = data.documents, count = documents.length;
  const groups = [...new Set(documents.map((one) => one[GROUP]))].sort();
  const groupOf = documents.map((one) => groups.indexOf(one[GROUP]));
  const shown = groups.map(() => true);
  const canvas = document.getElementById("map"), hint = document.getElementById("hint");
  const context = canvas.getContext("2d");
  const view = {scale: 1, x: 0, y: 0};
  let current = -1, waiting = false;

  const size = () => canvas.getBoundingClientRect();
  const place = (n, box) => [
    12 + ((data.points[2 * n] - 0.5) * view.scale + 0.5 + view.x) * (box.width - 24),
    12 + (0.5 - (data.points[2 * n + 1] - 0.5) * view.scale + view.y) * (box.height - 24)];

  function trace(x, y, group, radius) {
    const shape = Math.floor(group / colours.length) % 3;
    if (shape === 0) { context.moveTo(x + radius, y); context.arc(x, y, radius, 0, 7); }
    else if (shape === 1) context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else { context.moveTo(x, y - radius); context.lineTo(x + radius, y + radius);
      context.lineTo(x - radius, y + radius); context.closePath(); }
  }

  function draw() {
    waiting = false;
    const box = size(), ratio = window.devicePixelRatio || 1;
    canvas.width = box.width * ratio;
    canvas.height = box.height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 0.65;
    for (let group = 0; group < groups.length; group++) {
      if (!shown[group]) continue;
      context.fillStyle = colours[group % colours.length];
      context.beginPath();
      for (let n = 0; n < count; n++)
        if (groupOf[n] === group) trace(...place(n, box), group, 2.6);
      context.fill("nonzero");
    }
    if (current >= 0) {
      context.globalAlpha = 1;
      const [x, y] = place(current, box);
      context.fillStyle = colours[groupOf[current] % colours.length];
      context.beginPath();
      trace(x, y, groupOf[current], 6);
      context.fill();
      context.strokeStyle = getComputedStyle(document.body).color;
      context.stroke();
    }
  }
  const redraw = () => { if (!waiting) { waiting = true; requestAnimationFrame(draw); } };

  function nearest(x, y, most) {
    const box = size();
    let best = -1, distance = most * most;
    for (let n = 0; n < count; n++) {
      if (!shown[groupOf[n]]) continue;
      const [px, py] = place(n, box), d = (px - x) ** 2 + (py - y) ** 2;
      if (d < distance) { distance = d; best = n; }
    }
    return best;
  }

  function point(n) {
    current = n;
    hint.replaceChildren();
    if (n >= 0) {
      const box = size(), [x, y] = place(n, box), one = documents[n];
      const title = document.createElement("b");
      title.textContent = one[TITLE];
      const predicted = one[PREDICTED] === one[GROUP] ? "" : ` (predicted: ${one[PREDICTED]})`;
      hint.append(title, `${one[GROUP]}${predicted}: ${one[WORDS]}`);
      hint.style.left = `${Math.min(Math.max(0, x + 12), Math.max(0, box.width - 260))}px`;
      hint.style.top = `${Math.min(y + 12, box.height - 20)}px`;
    }
    redraw();
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

  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = {x: event.clientX, y: event.clientY, viewX: view.x, viewY: view.y, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const box = size();
    if (drag) {
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (Math.abs(dx) + Math.abs(dy) > 4) drag.moved = true;
      if (drag.moved) {
        view.x = drag.viewX + dx / (box.width - 24);
        view.y = drag.viewY + dy / (box.height - 24);
        point(-1);
      }
      return;
    }
    point(nearest(event.clientX - box.left, event.clientY - box.top, 14));
  });
  canvas.addEventListener("pointerup", (event) => {
    const box = size();
    if (drag && !drag.moved) {
      const n = nearest(event.clientX - box.left, event.clientY - box.top, 20);
      if (n >= 0) { point(n); open(n); }
    }
    drag = null;
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const factor = Math.exp(-event.deltaY / 500), box = size();
    const scale = Math.min(60, Math.max(1, view.scale * factor)), change = scale / view.scale;
    const x = (event.clientX - box.left - 12) / (box.width - 24) - 0.5;
    const y = (event.clientY - box.top - 12) / (box.height - 24) - 0.5;
    view.x = x - (x - view.x) * change;
    view.y = y - (y - view.y) * change;
    view.scale = scale;
    if (scale === 1) view.x = view.y = 0;
    redraw();
  }, {passive: false});
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && current >= 0) open(current);
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    for (let tried = 0, n = current; tried < count; tried++) {
      n = (n + step + count) % count;
      if (shown[groupOf[n]]) { point(n); break; }
    }
  });

  const list = document.getElementById("groups");
  const outlines = ["M5 0a5 5 0 1 0 .01 0z", "M.5.5h9v9h-9z", "M5 0l5 10H0z"];  // as trace draws them
  const boxes = groups.map((group, number) => {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => { shown[number] = box.checked; point(-1); });
    const swatch = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "path");
    swatch.setAttribute("viewBox", "0 0 10 10");
    swatch.setAttribute("aria-hidden", "true");
    dot.setAttribute("d", outlines[Math.floor(number / colours.length) % outlines.length]);
    dot.setAttribute("fill", colours[number % colours.length]);
    swatch.append(dot);
    label.append(box, swatch, group);
    list.append(label);
    return box;
  });
  for (const [name, on] of [["all", true], ["none", false]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => {
      boxes.forEach((box, number) => { box.checked = on; shown[number] = on; });
      point(-1);
    });
    list.append(button);
  }
  window.addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  draw();
})();
