// Points are blended into a picture by hand: a canvas takes one call for each, which is slower.
const canvas = document.getElementById("points");
const context = canvas.getContext("2d");
const PALEST = 0.15; // opacity of a row of which nothing is known
const FAINT = 0.1; // opacity of clusters that are not looked at
const MOST_NAMES = 40;
const ROOM_OF_NAME = 9000; // square pixels of map for each name

// A pixel is one number, 0xAABBGGRR; red and blue are blended together, green apart.
const parseColor = (hex) => parseInt(hex.slice(5, 7) + hex.slice(3, 5) + hex.slice(1, 3), 16);
const clusterColors = Uint32Array.from(data.colors, parseColor);
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

// Offsets of the pixels of a disc in the picture, and how much of each the disc covers, of 256.
function makeStamp(radius, stride) {
  const reach = Math.ceil(radius);
  const offsets = [];
  const covers = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const cover = Math.round(256 * Math.min(1, radius + 0.5 - Math.hypot(dx, dy)));
      if (cover > 0) {
        offsets.push(dy * stride + dx);
        covers.push(cover);
      }
    }
  }
  return { reach, offsets: Int32Array.from(offsets), covers: Uint16Array.from(covers) };
}

function drawPoints(isolated) {
  const radius = pointRadius() * pixelRatio();
  // A rim around the picture, so that discs at its edge need no care.
  const rim = Math.ceil(radius);
  const width = canvas.width + 2 * rim;
  const height = canvas.height + 2 * rim;
  if (!picture || picture.width !== width || picture.height !== height) {
    picture = context.createImageData(width, height);
  }
  // Signed, because numbers of 32 bits are only fast when they are.
  const pixels = new Int32Array(picture.data.buffer);
  pixels.fill(0xff000000 | parseColor(cssColor("--paper")));
  const stamp = makeStamp(radius, width);
  if (isolated === null) blend(pixels, stamp, () => true, clusterColors, opacities);
  else {
    const gray = new Uint32Array(clusterColors.length).fill(parseColor(cssColor("--quiet")));
    const faint = opacities.map((opacity) => opacity * FAINT);
    blend(pixels, stamp, (cluster) => cluster !== isolated, gray, faint);
    blend(pixels, stamp, (cluster) => cluster === isolated, clusterColors, opacities);
  }
  context.putImageData(picture, -rim, -rim);
}

function blend(pixels, stamp, accept, colors, opacityOf) {
  const { reach, offsets, covers } = stamp;
  const { width, height } = picture;
  const size = offsets.length;
  const ratio = pixelRatio();
  const scale = pixelsPerUnit() * ratio;
  const left = toScreenX(0) * ratio + reach + 0.5;
  const top = toScreenY(0) * ratio + reach + 0.5;
  const accepted = Uint8Array.from(colors, (_, cluster) => accept(cluster));
  for (let point = 0; point < nPoints; point++) {
    const cluster = topClusters[point * nTop];
    const x = Math.floor(left + coordinates[2 * point] * scale);
    const y = Math.floor(top - coordinates[2 * point + 1] * scale);
    if (x < reach || y < reach || x >= width - reach || y >= height - reach) continue;
    if (accepted[cluster] === 0) continue;
    const redBlue = colors[cluster] & 0xff00ff;
    const green = colors[cluster] & 0x00ff00;
    const opacity = opacityOf[topMemberships[point * nTop]];
    const middle = (y * width + x) | 0;
    for (let k = 0; k < size; k++) {
      const at = middle + offsets[k];
      const share = (opacity * covers[k]) >> 8;
      const rest = 256 - share;
      const before = pixels[at];
      pixels[at] =
        0xff000000 |
        (((Math.imul(redBlue, share) + Math.imul(before & 0xff00ff, rest) | 0) >>> 8) & 0xff00ff) |
        (((Math.imul(green, share) + Math.imul(before & 0x00ff00, rest) | 0) >>> 8) & 0x00ff00);
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
  const most = Math.min(MOST_NAMES, Math.ceil((view.width * view.height) / ROOM_OF_NAME));
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
    if (boxes.length >= most) break;
  }
  context.restore();
}
