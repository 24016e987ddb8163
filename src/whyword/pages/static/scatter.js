// Points on a canvas: point at them, zoom, drag, walk with the keys, open one.
//
// what = {
//   canvas, hint,                elements; the hint follows the point that is pointed at
//   points,                      [x0, y0, x1, y1, …] between 0 and 1
//   groupOf,                     the group of each point, by number
//   isShown(n), describe(n, element), open(n),
//   square                       whether both axes have one scale
// }
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
  "#7f3c8d", "#808080", "#a5aa00", "#8c510a", "#e7298a", "#01665e"];
const OUTLINES = ["M5 0a5 5 0 1 0 .01 0z", "M.5.5h9v9h-9z", "M5 0l5 10H0z"];
const MARGIN = 12, MOST_ZOOM = 60;

export function swatch(group) {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const dot = document.createElementNS("http://www.w3.org/2000/svg", "path");
  drawing.setAttribute("viewBox", "0 0 10 10");
  drawing.setAttribute("aria-hidden", "true");
  dot.setAttribute("d", OUTLINES[Math.floor(group / COLOURS.length) % OUTLINES.length]);
  dot.setAttribute("fill", COLOURS[group % COLOURS.length]);
  drawing.append(dot);
  return drawing;
}

export function scatter(what) {
  const {canvas, hint, points} = what, count = points.length / 2;
  const context = canvas.getContext("2d");
  const view = {scale: 1, x: 0, y: 0};
  let current = -1, waiting = false, drag = null;

  const size = () => canvas.getBoundingClientRect();
  function place(n, box) {
    const wide = box.width - 2 * MARGIN, high = box.height - 2 * MARGIN;
    const least = Math.min(wide, high);
    const [sx, sy] = what.square ? [least / wide, least / high] : [1, 1];
    return [
      MARGIN + ((points[2 * n] - 0.5) * sx * view.scale + 0.5 + view.x) * wide,
      MARGIN + (0.5 - (points[2 * n + 1] - 0.5) * sy * view.scale + view.y) * high];
  }

  function trace(x, y, group, radius) {  // the outlines of swatch, in these coordinates
    const shape = Math.floor(group / COLOURS.length) % OUTLINES.length;
    if (shape === 0) { context.moveTo(x + radius, y); context.arc(x, y, radius, 0, 7); }
    else if (shape === 1) context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else { context.moveTo(x, y - radius); context.lineTo(x + radius, y + radius);
      context.lineTo(x - radius, y + radius); context.closePath(); }
  }

  function draw() {
    waiting = false;
    const box = size(), ratio = window.devicePixelRatio || 1, byGroup = new Map();
    canvas.width = box.width * ratio;
    canvas.height = box.height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 0.65;
    for (let n = 0; n < count; n++) {
      if (!what.isShown(n)) continue;
      const group = what.groupOf[n];
      if (!byGroup.has(group)) byGroup.set(group, []);
      byGroup.get(group).push(n);
    }
    for (const [group, members] of byGroup) {
      context.fillStyle = COLOURS[group % COLOURS.length];
      context.beginPath();
      for (const n of members) trace(...place(n, box), group, 2.6);
      context.fill("nonzero");
    }
    if (current >= 0) {
      const group = what.groupOf[current];
      context.globalAlpha = 1;
      context.fillStyle = COLOURS[group % COLOURS.length];
      context.beginPath();
      trace(...place(current, box), group, 6);
      context.fill();
      context.strokeStyle = getComputedStyle(document.body).color;
      context.stroke();
    }
  }
  const redraw = () => { if (!waiting) { waiting = true; requestAnimationFrame(draw); } };

  function nearest(event, most) {
    const box = size(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, distance = most * most;
    for (let n = 0; n < count; n++) {
      if (!what.isShown(n)) continue;
      const [px, py] = place(n, box), d = (px - x) ** 2 + (py - y) ** 2;
      if (d < distance) { distance = d; best = n; }
    }
    return best;
  }

  function point(n) {
    if (n === current && n >= 0) return;
    current = n;
    hint.replaceChildren();
    if (n >= 0) {
      const box = size(), [x, y] = place(n, box);
      what.describe(n, hint);
      hint.style.left = `${Math.min(Math.max(0, x + 12), Math.max(0, box.width - 260))}px`;
      hint.style.top = `${Math.min(Math.max(0, y + 12), box.height - 20)}px`;
    }
    redraw();
  }

  canvas.addEventListener("pointerdown", (event) => {
    drag = {x: event.clientX, y: event.clientY, viewX: view.x, viewY: view.y, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) { point(nearest(event, 14)); return; }
    const box = size(), dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (Math.abs(dx) + Math.abs(dy) > 4) drag.moved = true;
    if (drag.moved) {
      view.x = drag.viewX + dx / (box.width - 2 * MARGIN);
      view.y = drag.viewY + dy / (box.height - 2 * MARGIN);
      point(-1);
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    const n = drag && !drag.moved ? nearest(event, 20) : -1;
    drag = null;
    if (n < 0) return;
    const seen = n === current || event.pointerType !== "touch";  // a finger points first
    point(n);
    if (seen) what.open(n);
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { if (!drag) point(-1); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = size(), wanted = view.scale * Math.exp(-event.deltaY / 500);
    const scale = Math.min(MOST_ZOOM, Math.max(1, wanted)), change = scale / view.scale;
    const x = (event.clientX - box.left - MARGIN) / (box.width - 2 * MARGIN) - 0.5;
    const y = (event.clientY - box.top - MARGIN) / (box.height - 2 * MARGIN) - 0.5;
    view.x = x - (x - view.x) * change;
    view.y = y - (y - view.y) * change;
    view.scale = scale;
    if (scale === 1) view.x = view.y = 0;
    redraw();
  }, {passive: false});
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && current >= 0) what.open(current);
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    for (let tried = 0, n = current; tried < count; tried++) {
      n = (n + step + count) % count;
      if (what.isShown(n)) { point(n); break; }
    }
  });
  new ResizeObserver(redraw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  draw();
  return {redraw: () => { point(-1); redraw(); }};
}
