// What Python packed: numbers as base64 of little-endian arrays.
const data = JSON.parse(document.getElementById("map-data").textContent);

function unpack(text, ArrayType) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new ArrayType(bytes.buffer);
}

const SPAN = 65536; // places are whole numbers from 0 to SPAN - 1
const rows = unpack(data.rows, Uint32Array);
const places = unpack(data.places, Uint16Array);
const topClusters = unpack(data.clusters, data.wide ? Uint16Array : Uint8Array);
const topMemberships = unpack(data.memberships, Uint8Array);
const nPoints = rows.length;
const nTop = data.nTop;

const labelOf = (point) => topClusters[point * nTop];
const numberText = (number) => number.toLocaleString("en-US");
const rowName = (point) => (data.ids ? data.ids[point] : "row " + numberText(rows[point]));

// Points by square of a grid, so that the one under the pointer is found without looking at all.
const GRID = 128;
const SQUARE = SPAN / GRID;
const squareStarts = new Uint32Array(GRID * GRID + 1);
const squarePoints = new Uint32Array(nPoints);
{
  const squareOf = (point) =>
    Math.floor(places[2 * point + 1] / SQUARE) * GRID + Math.floor(places[2 * point] / SQUARE);
  for (let point = 0; point < nPoints; point++) squareStarts[squareOf(point) + 1]++;
  for (let square = 0; square < GRID * GRID; square++) squareStarts[square + 1] += squareStarts[square];
  const next = squareStarts.slice();
  for (let point = 0; point < nPoints; point++) squarePoints[next[squareOf(point)]++] = point;
}

function nearestPoint(x, y, reach, accept) {
  const first = (value) => Math.max(0, Math.floor((value - reach) / SQUARE));
  const last = (value) => Math.min(GRID - 1, Math.floor((value + reach) / SQUARE));
  let best = -1;
  let bestSquare = reach * reach;
  for (let row = first(y); row <= last(y); row++) {
    for (let column = first(x); column <= last(x); column++) {
      const square = row * GRID + column;
      for (let at = squareStarts[square]; at < squareStarts[square + 1]; at++) {
        const point = squarePoints[at];
        const dx = places[2 * point] - x;
        const dy = places[2 * point + 1] - y;
        const distance = dx * dx + dy * dy;
        if (distance <= bestSquare && accept(point)) {
          best = point;
          bestSquare = distance;
        }
      }
    }
  }
  return best;
}

// Where to write the number of each cluster: in its densest square, so that a cluster in several
// pieces is not named in the empty middle between them.
const anchors = (() => {
  const COARSE = 32;
  const side = SPAN / COARSE;
  const heaps = new Map();
  for (let point = 0; point < nPoints; point++) {
    const x = places[2 * point];
    const y = places[2 * point + 1];
    const square = Math.floor(y / side) * COARSE + Math.floor(x / side);
    const key = labelOf(point) * COARSE * COARSE + square;
    const heap = heaps.get(key);
    if (heap) {
      heap.count++;
      heap.x += x;
      heap.y += y;
    } else heaps.set(key, { cluster: labelOf(point), count: 1, x, y });
  }
  const densest = new Map();
  for (const heap of heaps.values()) {
    const known = densest.get(heap.cluster);
    if (!known || heap.count > known.count) densest.set(heap.cluster, heap);
  }
  return [...densest.values()]
    .map((heap) => ({ cluster: heap.cluster, x: heap.x / heap.count, y: heap.y / heap.count }))
    .sort((a, b) => data.sizes[b.cluster] - data.sizes[a.cluster] || a.cluster - b.cluster);
})();
