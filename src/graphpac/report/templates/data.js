// What Python packed: numbers as base64 of little-endian arrays.
const data = JSON.parse(document.getElementById("map-data").textContent);

function unpack(text, ArrayType) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new ArrayType(bytes.buffer);
}

const SPAN = 65536; // coordinates are whole numbers from 0 to SPAN - 1
const rows = unpack(data.rows, Uint32Array);
const coordinates = unpack(data.coordinates, Uint16Array);
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
    Math.floor(coordinates[2 * point + 1] / SQUARE) * GRID + Math.floor(coordinates[2 * point] / SQUARE);
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
        const dx = coordinates[2 * point] - x;
        const dy = coordinates[2 * point + 1] - y;
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

// Where to write the number of each cluster: at the point next to its median, since a median alone
// may be in the empty middle of a bow or between two pieces.
const anchors = (() => {
  const members = data.sizes.map(() => []);
  for (let point = 0; point < nPoints; point++) members[labelOf(point)].push(point);
  const median = (points, axis) => Uint16Array.from(points, (point) => coordinates[2 * point + axis]).sort()[points.length >> 1];
  const found = [];
  members.forEach((points, cluster) => {
    if (points.length === 0) return;
    const [x, y] = [median(points, 0), median(points, 1)];
    const distance = (point) => Math.hypot(coordinates[2 * point] - x, coordinates[2 * point + 1] - y);
    let nearest = points[0];
    for (const point of points) if (distance(point) < distance(nearest)) nearest = point;
    found.push({ cluster, x: coordinates[2 * nearest], y: coordinates[2 * nearest + 1] });
  });
  // The largest first: where names would cover each other it is written.
  return found.sort((a, b) => data.sizes[b.cluster] - data.sizes[a.cluster] || a.cluster - b.cluster);
})();
