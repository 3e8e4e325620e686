// The map answers to pointer, wheel and keyboard.
const stage = canvas.parentElement;
const tip = stage.querySelector(".tip");
const ring = stage.querySelector(".ring");
const REACH = 14; // pixels from the pointer within which a point is found
const FINGER_REACH = 24;
const STEP = 60; // pixels an arrow key moves the map
const FACTOR = 1.5; // of one step of zoom
const SMALLEST_SHOWN = 2; // of 255: less would be written as 0 %

let isolated = null;
let hovered = -1;
let waiting = false;

function draw() {
  drawPoints(isolated);
  drawNames(isolated);
  placeRing();
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function fitToStage() {
  view.width = canvas.clientWidth;
  view.height = canvas.clientHeight;
  canvas.width = Math.max(1, Math.round(view.width * pixelRatio()));
  canvas.height = Math.max(1, Math.round(view.height * pixelRatio()));
  draw();
}

function moved() {
  // A finger scrolls the page while all of the map is seen, and moves the map once it is not.
  canvas.style.touchAction = view.zoom > 1 ? "none" : "pan-y";
  redraw();
}

function zoomStep(factor) {
  zoomBy(factor, view.width / 2, view.height / 2);
  moved();
}

function screenPlace(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function pointAt(screenX, screenY, reach) {
  const accept = (point) => isolated === null || labelOf(point) === isolated;
  return nearestPoint(toMapX(screenX), toMapY(screenY), reach / pixelsPerUnit(), accept);
}

function placeRing() {
  ring.hidden = tip.hidden = hovered < 0;
  if (hovered < 0) return;
  const x = toScreenX(coordinates[2 * hovered]);
  const y = toScreenY(coordinates[2 * hovered + 1]);
  ring.style.translate = `${x}px ${y}px`;
  const left = Math.min(Math.max(4, x + 14), view.width - tip.offsetWidth - 4);
  const below = y + 14 + tip.offsetHeight < view.height;
  tip.style.translate = `${Math.max(4, left)}px ${below ? y + 14 : Math.max(4, y - 14 - tip.offsetHeight)}px`;
}

function hover(point) {
  if (point !== hovered) {
    hovered = point;
    canvas.style.cursor = point < 0 ? "grab" : "pointer";
    if (point >= 0) fillTip(point);
  }
  placeRing();
}

function fillTip(point) {
  const name = document.createElement("bdi");
  name.className = "id";
  name.textContent = rowName(point);
  const lines = [name];
  for (let place = 0; place < nTop; place++) {
    const membership = topMemberships[point * nTop + place];
    if (membership < SMALLEST_SHOWN) break;
    const cluster = topClusters[point * nTop + place];
    const line = document.createElement("span");
    const swatch = document.createElement("i");
    swatch.className = "swatch";
    swatch.style.setProperty("--c", data.colors[cluster]);
    const share = document.createElement("b");
    share.textContent = `${Math.round(membership / 2.55)}\u00a0%`;
    line.append(swatch, `cluster ${cluster} `, share);
    lines.push(line);
  }
  tip.replaceChildren(...lines);
}

// Pointers that are down, by their number; a press that moves is a drag, else a click.
const pressed = new Map();
let dragged = false;

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  if (pressed.size === 0) dragged = false;
  pressed.set(event.pointerId, screenPlace(event));
});

canvas.addEventListener("pointermove", (event) => {
  const [x, y] = screenPlace(event);
  const before = pressed.get(event.pointerId);
  if (!before) {
    hover(pointAt(x, y, REACH));
    return;
  }
  if (!dragged && Math.hypot(x - before[0], y - before[1]) < 4) return;
  dragged = true;
  hover(-1);
  const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {
    const factor = Math.hypot(x - other[0], y - other[1]) / Math.hypot(before[0] - other[0], before[1] - other[1]);
    if (Number.isFinite(factor) && factor > 0) zoomBy(factor, other[0], other[1]);
  } else panBy(x - before[0], y - before[1]);
  pressed.set(event.pointerId, [x, y]);
  moved();
});

canvas.addEventListener("pointerup", (event) => {
  if (pressed.delete(event.pointerId) && !dragged) {
    const point = pointAt(...screenPlace(event), event.pointerType === "touch" ? FINGER_REACH : REACH);
    hover(point);
    if (point >= 0) isolate(labelOf(point) === isolated ? null : labelOf(point));
  }
});

canvas.addEventListener("pointercancel", (event) => pressed.delete(event.pointerId));
canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hover(-1));

canvas.addEventListener(
  "wheel",
  (event) => {
    // The page scrolls on where the map cannot be made smaller.
    if (event.deltaY > 0 && view.zoom === 1 && !event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 * event.deltaY : event.deltaY;
    // Two fingers on a touchpad come as a wheel of small steps with the control key.
    const speed = event.ctrlKey ? -0.01 : -0.002;
    zoomBy(Math.exp(speed * Math.max(-240, Math.min(240, pixels))), ...screenPlace(event));
    moved();
  },
  { passive: false },
);

const keys = {
  ArrowLeft: () => panBy(STEP, 0),
  ArrowRight: () => panBy(-STEP, 0),
  ArrowUp: () => panBy(0, STEP),
  ArrowDown: () => panBy(0, -STEP),
  "+": () => zoomStep(FACTOR),
  "=": () => zoomStep(FACTOR),
  "-": () => zoomStep(1 / FACTOR),
  0: showAll,
};

canvas.addEventListener("keydown", (event) => {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
  moved();
});

for (const button of stage.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => {
    if (button.dataset.zoom === "all") showAll();
    else zoomStep(button.dataset.zoom === "in" ? FACTOR : 1 / FACTOR);
    moved();
  });
}
