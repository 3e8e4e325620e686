// One cluster looked at alone: on the map, in the lists, among the rows.
const status = document.querySelector(".status");
const statusOfAll = status.textContent;
const release = document.querySelector(".release");
const chooser = document.getElementById("chooser");
const allDetails = [...document.querySelectorAll("[data-cluster-rows]")];

function describe(cluster) {
  if (data.sizes[cluster] === 0) return `Cluster ${cluster} has no rows.`;
  const size = `${numberText(data.sizes[cluster])} row${data.sizes[cluster] === 1 ? "" : "s"}`;
  const certainty = `${Math.round(100 * data.certainties[cluster])}\u00a0%`;
  return `Cluster ${cluster}: ${size}, mean certainty ${certainty}. The most typical and the most doubtful are below.`;
}

function isolate(cluster) {
  isolated = cluster;
  if (hovered >= 0 && cluster !== null && labelOf(hovered) !== cluster) hover(-1);
  for (const button of document.querySelectorAll("[data-cluster]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.cluster) === cluster));
  }
  for (const row of document.querySelectorAll("[data-cluster-row]")) {
    row.classList.toggle("chosen", Number(row.dataset.clusterRow) === cluster);
  }
  for (const details of allDetails) {
    const own = Number(details.dataset.clusterRows) === cluster;
    details.hidden = cluster !== null && !own;
    if (own) details.open = true;
  }
  document.body.classList.toggle("isolating", cluster !== null);
  chooser.value = cluster === null ? "" : String(cluster);
  release.hidden = cluster === null;
  status.textContent = cluster === null ? statusOfAll : describe(cluster);
  redraw();
}

for (const button of document.querySelectorAll("[data-cluster]")) {
  const cluster = Number(button.dataset.cluster);
  button.addEventListener("click", () => isolate(isolated === cluster ? null : cluster));
}
release.addEventListener("click", () => isolate(null));
chooser.addEventListener("change", () => isolate(chooser.value === "" ? null : Number(chooser.value)));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    hover(-1);
    isolate(null);
  }
});

// On paper everything is open, on white, and drawn for its width.
let openBefore = null;

function toPaper() {
  if (openBefore) return;
  openBefore = allDetails.map((details) => details.open);
  for (const details of allDetails) details.open = true;
  document.documentElement.dataset.paper = "";
  draw();
}

function toScreen() {
  if (!openBefore) return;
  allDetails.forEach((details, i) => (details.open = openBefore[i]));
  openBefore = null;
  delete document.documentElement.dataset.paper;
  draw();
}

const onPaper = matchMedia("print");
onPaper.addEventListener("change", () => (onPaper.matches ? toPaper() : toScreen()));
window.addEventListener("beforeprint", toPaper);
window.addEventListener("afterprint", toScreen);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
new ResizeObserver(fitToStage).observe(stage);
moved();

// For scripts, and for tests in a browser.
window.graphpacReport = Object.freeze({
  draw,
  isolate,
  isolated: () => isolated,
  zoom: () => view.zoom,
  screenPlaceOf(row) {
    const point = rows.indexOf(row);
    return [toScreenX(coordinates[2 * point]), toScreenY(coordinates[2 * point + 1])];
  },
});
