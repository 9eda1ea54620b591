// Plots as SVG with axes that people can read: lines, bars, a heat map, a sparkline. Each has a text for screen readers.

import { element, numberText, shape } from "./element.js";

// The width before the plot has a place; afterwards it is drawn as wide as its place, so that its text keeps its size.
const WIDTH = 640;
const LEFT = 52;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 26;
const clockText = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

// At most `count` + 1 round values from 0 to at least `max`.
export function ticks(max, count = 4) {
  if (!(max > 0)) return [0, 1];
  const raw = max / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= raw);
  const out = [];
  for (let value = 0; value < max + step * 0.999; value += step) out.push(Number(value.toPrecision(12)));
  return out;
}

function figure(title, unit, label, height, series, draw) {
  const svg = shape("svg", { role: "img", "aria-label": label });
  const readout = element("div", { class: "readout", "aria-hidden": "true" });
  const legend = series.length > 1 ? series.map(({ label: name }, at) => element("span", { class: `legend-item s${(at % 6) + 1}` }, element("i"), name)) : [];
  const head = element("figcaption", { class: "plot-head" }, element("strong", {}, title), unit && element("span", { class: "soft small" }, unit), ...legend, readout);
  const node = element("figure", { class: "plot" }, head, svg);
  let drawn = 0;
  const redraw = (width) => {
    if (width === drawn) return;
    drawn = width;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    draw(svg, width, readout);
  };
  redraw(WIDTH);
  new ResizeObserver(([entry]) => redraw(Math.max(260, Math.round(entry.contentRect.width)))).observe(node);
  return node;
}

function valueAxis(svg, max, width, height) {
  const marks = ticks(max);
  const top = marks.at(-1);
  const y = (value) => TOP + (height - TOP - BOTTOM) * (1 - value / top);
  for (const mark of marks) {
    svg.append(shape("line", { class: mark === 0 ? "axis" : "gridline", x1: LEFT, x2: width - RIGHT, y1: y(mark), y2: y(mark) }),
      shape("text", { x: LEFT - 8, y: y(mark) + 4, "text-anchor": "end" }, compact(mark)));
  }
  return y;
}

const compact = (value) => (value >= 10_000 ? `${numberText(value / 1000)}k` : numberText(value));
const shorten = (text, chars) => (text.length > chars ? `${text.slice(0, chars - 1)}…` : text);

// Lines over time. series: [{ label, points: [[milliseconds, value]] }], all with the same times.
export function linePlot(title, series, { unit = "", height = 200 } = {}) {
  const times = series[0]?.points.map(([time]) => time) ?? [];
  const most = (points) => Math.max(0, ...points.map(([, value]) => value));
  const max = Math.max(0, ...series.map(({ points }) => most(points)));
  const spoken = series.map(({ label: name, points }) => `${name} now ${numberText(points.at(-1)?.[1] ?? 0)}, at most ${numberText(most(points))}`);
  return figure(title, unit, `${title}${unit ? `, ${unit}` : ""}: ${spoken.join("; ")}`, height, series, (svg, width, readout) => {
    const y = valueAxis(svg, max, width, height);
    if (times.length < 2) return;
    const [from, to] = [times[0], times.at(-1)];
    const x = (time) => LEFT + ((width - LEFT - RIGHT) * (time - from)) / (to - from || 1);
    const count = width < 480 ? 2 : 4;
    for (let at = 0; at <= count; at += 1) {
      const time = from + ((to - from) * at) / count;
      svg.append(shape("text", { x: x(time), y: height - 6, "text-anchor": at === 0 ? "start" : at === count ? "end" : "middle" }, clockText.format(new Date(time))));
    }
    series.forEach(({ points }, at) => {
      const path = points.map(([time, value], index) => `${index ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`).join("");
      const tone = `s${(at % 6) + 1}`;
      if (series.length === 1) svg.append(shape("path", { class: `under ${tone}`, d: `${path}L${x(to)} ${y(0)}L${x(from)} ${y(0)}Z` }));
      svg.append(shape("path", { class: `curve ${tone}`, d: path }));
    });
    const line = shape("line", { class: "hover", y1: TOP, y2: height - BOTTOM, visibility: "hidden" });
    svg.append(line);
    svg.onpointermove = (event) => {
      const place = event.clientX - svg.getBoundingClientRect().left;
      const index = times.reduce((best, time, at) => (Math.abs(x(time) - place) < Math.abs(x(times[best]) - place) ? at : best), 0);
      line.setAttribute("x1", x(times[index]));
      line.setAttribute("x2", x(times[index]));
      line.setAttribute("visibility", "visible");
      const parts = series.map(({ label: name, points }) => `${series.length > 1 ? `${name} ` : ""}${numberText(points[index]?.[1] ?? 0)}`);
      readout.textContent = `${clockText.format(new Date(times[index]))}  ${parts.join(" · ")}`;
    };
    svg.onpointerleave = () => { line.setAttribute("visibility", "hidden"); readout.textContent = ""; };
  });
}

// Horizontal bars: [{ label, value, note, tone }], in the given order.
export function barPlot(title, bars, { unit = "" } = {}) {
  const step = 26;
  const max = Math.max(0, ...bars.map(({ value }) => value)) || 1;
  const label = `${title}${unit ? `, ${unit}` : ""}: ${bars.map((bar) => `${bar.label} ${numberText(bar.value)}`).join(", ")}`;
  return figure(title, unit, label, bars.length * step + 4, [], (svg, width) => {
    const left = Math.min(220, width * 0.36);
    const textOf = ({ value, note }) => `${numberText(value)}${note ? ` ${note}` : ""}`;
    // Room for the longest text behind a bar, at about 6.2 pixels per character; the bars share what is left.
    const right = Math.min(width * 0.4, 20 + 6.2 * Math.max(4, ...bars.map((bar) => textOf(bar).length)));
    bars.forEach((bar, at) => {
      const { label: name, value, tone = 1 } = bar;
      const y = at * step;
      const length = Math.max(1, (width - left - right) * (value / max));
      const text = shape("text", { x: left - 10, y: y + 16, "text-anchor": "end" }, shorten(name, Math.floor(left / 6.6)));
      text.append(shape("title", {}, name));
      svg.append(text, shape("rect", { class: `bar s${tone}`, x: left, y: y + 4, width: length, height: 16, rx: 2 }),
        shape("text", { x: left + length + 8, y: y + 16 }, textOf(bar)));
    });
  });
}

// A heat map: rows: [{ label, values }], one column per entry of `columns`; stronger colour means more.
export function heatPlot(title, rows, columns, { unit = "" } = {}) {
  const step = 24;
  const left = 88;
  const max = Math.max(0, ...rows.flatMap(({ values }) => values)) || 1;
  const hottest = rows.map(({ label, values }) => `${label} at most ${numberText(Math.max(0, ...values))}`).join(", ");
  return figure(title, unit, `${title}: ${hottest}`, rows.length * step + BOTTOM, [], (svg, width, readout) => {
    const wide = (width - left - RIGHT) / Math.max(1, columns.length);
    rows.forEach(({ label, values }, at) => {
      svg.append(shape("text", { x: left - 8, y: at * step + 16, "text-anchor": "end" }, shorten(label, 14)));
      values.forEach((value, index) => {
        const cell = shape("rect", { class: value > 0 ? "cell" : "cell nothing", x: left + index * wide, y: at * step + 1, width: Math.max(1, wide - 1), height: step - 2, rx: 1 });
        if (value > 0) cell.style.opacity = String(0.15 + 0.85 * (value / max));
        cell.dataset.text = `${label}, ${columns[index]}: ${numberText(value)}`;
        svg.append(cell);
      });
    });
    const every = Math.max(1, Math.ceil(columns.length / Math.max(2, Math.floor(width / 110))));
    columns.forEach((text, index) => {
      if (index % every === 0) svg.append(shape("text", { x: left + index * wide, y: rows.length * step + 16 }, text));
    });
    svg.onpointermove = (event) => { readout.textContent = event.target.dataset?.text ?? ""; };
    svg.onpointerleave = () => { readout.textContent = ""; };
  });
}

// A line without axes, for a cell or a card.
export function sparkline(values, label) {
  const max = Math.max(...values, 1);
  const step = 100 / Math.max(1, values.length - 1);
  const path = values.map((value, at) => `${at ? "L" : "M"}${(at * step).toFixed(1)} ${(28 - (26 * value) / max).toFixed(1)}`).join("");
  return shape("svg", { class: "spark", viewBox: "0 0 100 30", preserveAspectRatio: "none", role: "img", "aria-label": label },
    shape("path", { class: "curve", d: path, "vector-effect": "non-scaling-stroke" }));
}
