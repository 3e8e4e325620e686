// Which part of the map is seen: the place in the middle, and how far it is zoomed.
const view = { x: SPAN / 2, y: SPAN / 2, zoom: 1, width: 0, height: 0 };
const LARGEST_ZOOM = 400;

const pixelsPerUnit = () => (view.zoom * 0.94 * Math.min(view.width, view.height)) / SPAN;
const toScreenX = (x) => (x - view.x) * pixelsPerUnit() + view.width / 2;
// Upwards on the map is upwards on the screen.
const toScreenY = (y) => (view.y - y) * pixelsPerUnit() + view.height / 2;
const toMapX = (screenX) => (screenX - view.width / 2) / pixelsPerUnit() + view.x;
const toMapY = (screenY) => view.y - (screenY - view.height / 2) / pixelsPerUnit();

function keepInside() {
  view.x = Math.min(SPAN, Math.max(0, view.x));
  view.y = Math.min(SPAN, Math.max(0, view.y));
}

function panBy(dx, dy) {
  view.x -= dx / pixelsPerUnit();
  view.y += dy / pixelsPerUnit();
  keepInside();
}

// What is under the given point of the screen stays there.
function zoomBy(factor, screenX, screenY) {
  const x = toMapX(screenX);
  const y = toMapY(screenY);
  view.zoom = Math.min(LARGEST_ZOOM, Math.max(1, view.zoom * factor));
  panBy(screenX - toScreenX(x), screenY - toScreenY(y));
  if (view.zoom === 1) showAll();
}

function showAll() {
  Object.assign(view, { x: SPAN / 2, y: SPAN / 2, zoom: 1 });
}
