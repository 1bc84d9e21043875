// Plots: numbers from an address of ours, colours from the page's own, drawn again when either changes.

const REDRAW_MILLIS = 60;

function readColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

class Plot {
  constructor(place) {
    this.place = place;
    this.series = place.dataset.series.split(" ").map((one) => one.split(":"));
    this.load();
    setInterval(() => document.hidden || this.load(), Number(place.dataset.every) * 1000);
    new ResizeObserver(() => this.fit()).observe(place);
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  async load() {
    try {
      const answer = await fetch(this.place.dataset.plot);
      if (!answer.ok) return;
      const found = await answer.json();
      this.data = [found.at, ...this.series.map(([name]) => found[name])];
    } catch { return; }  // the next time tries again
    if (this.drawn) this.drawn.setData(this.data); else this.draw();
  }

  get size() {
    const style = getComputedStyle(this.place);
    const width = this.place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return { width: Math.max(width, 120), height: 190 };
  }

  fit() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.drawn?.setSize(this.size), REDRAW_MILLIS);
  }

  draw() {
    if (!this.data) return;
    this.drawn?.destroy();
    this.place.replaceChildren();
    if (this.data.slice(1).every((one) => one.every((value) => value === null))) { this.tellEmpty(); return; }
    const [soft, line, unit] = [readColour("soft"), readColour("line"), this.place.dataset.unit];
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui" };
    const show = (plot, value) => (value == null ? "–" : `${value.toFixed(value < 1 ? 2 : 1)} ${unit}`);
    const series = this.series.map(([name, colour]) => ({
      label: name, stroke: readColour(colour), width: 1.5, spanGaps: true, points: { size: 5 }, value: show,
    }));
    const time = (plot, value) => (value == null ? "–" : new Date(value * 1000).toTimeString().slice(0, 5));
    const options = {
      ...this.size, series: [{ label: "at", value: time }, ...series], cursor: { drag: { x: false, y: false } },
      axes: [{ ...axis, values: (plot, ticks) => ticks.map((at) => time(plot, at)) },
        { ...axis, size: 72, values: (plot, ticks) => ticks.map((value) => `${value} ${unit}`) }],
      scales: { y: { range: (plot, low, high) => [0, (high || 1) * 1.1] } },
    };
    this.drawn = new uPlot(options, this.data, this.place);
  }

  tellEmpty() {
    const told = document.createElement("p");
    told.className = "soft";
    told.textContent = "No event in the last day.";
    this.place.append(told);
    this.drawn = null;
  }
}

for (const place of document.querySelectorAll("[data-plot]")) new Plot(place);
