// Points are blended into a picture by hand: a canvas takes one call for each, which is slower.
const canvas = document.getElementById("points");
const context = canvas.getContext("2d");
const PALEST = 0.15; // opacity of a row of which nothing is known
const FAINT = 0.1; // opacity of clusters that are not looked at
const MOST_NAMES = 40;

const parseColor = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const clusterColors = data.colors.map(parseColor);
const opacities = Uint16Array.from({ length: 256 }, (_, step) =>
  Math.round(256 * (PALEST + (1 - PALEST) * (step / 255) ** 2)),
);

let picture = null;

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function pixelRatio() {
  return Math.min(2, window.devicePixelRatio || 1);
}

function pointRadius() {
  const room = Math.sqrt((view.width * view.height) / nPoints);
  const plain = Math.min(3.4, Math.max(1.1, 0.42 * room));
  return Math.min(7, plain * Math.sqrt(view.zoom));
}

// Offsets of the pixels of a disc in the picture, and how much of each the disc covers.
function makeStamp(radius, stride) {
  const reach = Math.ceil(radius);
  const offsets = [];
  const covers = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy)));
      if (cover > 0) {
        offsets.push(4 * (dy * stride + dx));
        covers.push(cover);
      }
    }
  }
  return { reach, offsets: Int32Array.from(offsets), covers: Float32Array.from(covers) };
}

function drawPoints(isolated) {
  const ratio = pixelRatio();
  const reach = Math.ceil(pointRadius() * ratio);
  // A rim around the picture, so that discs at its edge need no care.
  const width = canvas.width + 2 * reach;
  const height = canvas.height + 2 * reach;
  if (!picture || picture.width !== width || picture.height !== height) {
    picture = context.createImageData(width, height);
  }
  const stamp = makeStamp(pointRadius() * ratio, width);
  const [red, green, blue] = parseColor(cssColor("--paper"));
  new Uint32Array(picture.data.buffer).fill(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
  if (isolated === null) blend(stamp, () => true, clusterColors, opacities);
  else {
    const gray = parseColor(cssColor("--quiet"));
    const faint = opacities.map((opacity) => opacity * FAINT);
    blend(stamp, (cluster) => cluster !== isolated, clusterColors.map(() => gray), faint);
    blend(stamp, (cluster) => cluster === isolated, clusterColors, opacities);
  }
  context.putImageData(picture, -reach, -reach);
}

function blend(stamp, accept, colors, opacityOf) {
  const { reach, offsets, covers } = stamp;
  const pixels = picture.data;
  const stride = picture.width;
  const ratio = pixelRatio();
  const scale = pixelsPerUnit() * ratio;
  const left = toScreenX(0) * ratio + reach;
  const top = toScreenY(0) * ratio + reach;
  const accepted = clusterColors.map((_, cluster) => accept(cluster));
  for (let point = 0; point < nPoints; point++) {
    const cluster = topClusters[point * nTop];
    if (!accepted[cluster]) continue;
    const x = Math.round(left + places[2 * point] * scale);
    const y = Math.round(top - places[2 * point + 1] * scale);
    if (x < reach || y < reach || x >= stride - reach || y >= picture.height - reach) continue;
    const [red, green, blue] = colors[cluster];
    const opacity = opacityOf[topMemberships[point * nTop]];
    const middle = 4 * (y * stride + x);
    for (let k = 0; k < offsets.length; k++) {
      const at = middle + offsets[k];
      const share = (opacity * covers[k]) | 0;
      pixels[at] += ((red - pixels[at]) * share) >> 8;
      pixels[at + 1] += ((green - pixels[at + 1]) * share) >> 8;
      pixels[at + 2] += ((blue - pixels[at + 2]) * share) >> 8;
    }
  }
}

function drawNames(isolated) {
  const size = 13;
  context.save();
  context.scale(pixelRatio(), pixelRatio());
  context.font = `600 ${size}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = cssColor("--paper");
  context.fillStyle = cssColor("--ink");
  const boxes = [];
  for (const anchor of anchors) {
    if (isolated !== null && anchor.cluster !== isolated) continue;
    const x = toScreenX(anchor.x);
    const y = toScreenY(anchor.y);
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    const text = String(anchor.cluster);
    const half = context.measureText(text).width / 2 + 4;
    const hits = (box) => Math.abs(box.x - x) < box.half + half && Math.abs(box.y - y) < size + 4;
    if (boxes.some(hits)) continue;
    boxes.push({ x, y, half });
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
    if (boxes.length === MOST_NAMES) break;
  }
  context.restore();
}
