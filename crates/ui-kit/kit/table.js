// A table whose rows exist only while they are in view, so that 100,000 rows scroll like 20. The head stays; columns
// sort; one row is active by keyboard, and Enter opens it.

import { element, freshId, shape } from "./element.js";
import { icon } from "./icon.js";

const SPARE_ROWS = 12;
// Longer text has a title, because a cell may cut it off.
const TITLE_CHARS_MIN = 24;

// columns: [{ name, label, width, align, cell(row) -> text or node, sort(row) -> value }].
export function table(label, columns, { rows = [], onopen = () => {}, onactive = () => {}, onend = () => {}, isBare = false } = {}) {
  const grid = element("div", { class: `grid${isBare ? " bare" : ""}`, role: "grid", tabindex: "0", "aria-label": label });
  const head = element("div", { class: "grid-head", role: "row" });
  const headGroup = element("div", { role: "rowgroup" }, head);
  const body = element("div", { class: "grid-body", role: "rowgroup" });
  grid.append(headGroup, body);
  const prefix = freshId("row");
  // Rows in view by their place in the order, rows that wait to be used again, and the row of an element.
  const shown = new Map();
  const spare = [];
  const entries = new WeakMap();
  let all = [];
  let order = [];
  let active = -1;
  let activeId = "";
  let sorted = null;
  let height = 36;
  let view = 0;
  // Whether what is drawn belongs to other rows or another height.
  let isStale = false;
  let drawnHeight = -1;
  let askedFor = -1;

  head.append(...columns.map((column) => headCell(column)));
  const widths = columns.map(({ width = "minmax(8rem, 1fr)" }) => width);
  grid.style.setProperty("--columns", widths.join(" "));
  // With many columns a row is wider than the table, and its line and colour must be as wide.
  grid.style.setProperty("--least", `calc(${widths.map((width) => /^minmax\(([^,]+),/.exec(width)?.[1] ?? width).join(" + ")})`);

  function headCell(column) {
    const cell = element("div", { role: "columnheader", class: column.align === "end" ? "end" : "" });
    if (!column.sort) {
      cell.append(element("span", {}, column.label));
      return cell;
    }
    const mark = element("span", { class: "visually-hidden" });
    const pressed = element("button", { type: "button", tabindex: "-1", onclick: () => sortBy(column) }, column.label, mark);
    cell.append(pressed);
    column.mark = (direction) => {
      cell.setAttribute("aria-sort", direction ?? "none");
      pressed.querySelector("svg")?.remove();
      if (direction) pressed.append(icon(direction === "ascending" ? "up" : "down"));
    };
    column.mark(null);
    return cell;
  }

  // Ascending, then descending, then the order of arrival.
  function sortBy(column) {
    if (sorted?.column !== column) sorted = { column, direction: "ascending" };
    else if (sorted.direction === "ascending") sorted = { column, direction: "descending" };
    else sorted = null;
    for (const one of columns) one.mark?.(sorted?.column === one ? sorted.direction : null);
    arrange();
    isStale = true;
    draw();
    markActive();
  }

  function arrange() {
    order = all.map((_, index) => index);
    if (!sorted) return;
    const values = all.map((row) => sorted.column.sort(row));
    const sign = sorted.direction === "ascending" ? 1 : -1;
    order.sort((left, right) => sign * compare(values[left], values[right]) || left - right);
  }

  // Reads the layout; only when it may have changed, because reading it between writes is what makes scrolling slow.
  function measure() {
    // The height is a token in rem; it changes with the density and the pointer.
    const measured = Number.parseFloat(getComputedStyle(grid).getPropertyValue("--row")) * 16 || 36;
    view = grid.clientHeight;
    if (measured === height) return;
    height = measured;
    isStale = true;
  }

  function draw() {
    if (!grid.isConnected) return;
    if (view === 0) measure();
    if (drawnHeight !== order.length * height) {
      drawnHeight = order.length * height;
      body.style.height = `${drawnHeight}px`;
      grid.setAttribute("aria-rowcount", String(order.length + 1));
    }
    const top = grid.scrollTop;
    const first = Math.max(0, Math.floor(top / height) - SPARE_ROWS);
    const last = Math.min(order.length, Math.ceil((top + view) / height) + SPARE_ROWS);
    for (const [index, entry] of shown) {
      if (index < first || index >= last) {
        shown.delete(index);
        spare.push(entry);
      } else if (isStale) fill(entry, index);
    }
    isStale = false;
    for (let index = first; index < last; index += 1) if (!shown.has(index)) shown.set(index, fill(spare.pop() ?? newRow(), index));
    // Rows that left the view are used for those that came into it. While the table moves, none is left over.
    for (const { node } of spare) node.remove();
    spare.length = Math.min(spare.length, SPARE_ROWS);
    nameActive();
    if (last >= order.length && order.length > 0 && askedFor !== order.length) {
      askedFor = order.length;
      onend();
    }
  }

  function newRow() {
    const cells = columns.map(({ align }) => {
      const text = document.createTextNode("");
      const span = element("span", {}, text);
      return { node: element("div", { role: "gridcell", class: align === "end" ? "end" : "" }, span), span, text, isText: true };
    });
    const node = element("div", { class: "grid-row", role: "row" }, ...cells.map((cell) => cell.node));
    const entry = { node, cells, index: -1 };
    entries.set(node, entry);
    return entry;
  }

  function fill(entry, index) {
    const row = all[order[index]];
    const { node, cells } = entry;
    entry.index = index;
    node.id = `${prefix}-${index}`;
    node.setAttribute("aria-rowindex", String(index + 2));
    node.style.transform = `translateY(${index * height}px)`;
    mark(entry);
    columns.forEach(({ cell }, at) => fillCell(cells[at], cell(row)));
    if (!node.isConnected) body.append(node);
    return entry;
  }

  // Text goes into the text node that is there already; that creates no element.
  function fillCell(cell, content) {
    if (content instanceof Node) {
      cell.node.replaceChildren(content);
      cell.isText = false;
      return;
    }
    const text = String(content ?? "");
    if (!cell.isText) cell.node.replaceChildren(cell.span);
    cell.isText = true;
    if (cell.text.data === text) return;
    cell.text.data = text;
    if (text.length > TITLE_CHARS_MIN) cell.span.title = text;
    else if (cell.span.title) cell.span.removeAttribute("title");
  }

  function mark({ node, index }) {
    const isActive = index === active;
    if ((node.getAttribute("aria-selected") === "true") === isActive && node.hasAttribute("aria-selected")) return;
    node.classList.toggle("active", isActive);
    node.setAttribute("aria-selected", String(isActive));
  }

  function markActive() {
    for (const entry of shown.values()) mark(entry);
    nameActive();
  }

  // Names the active row to screen readers while it exists.
  function nameActive() {
    const id = shown.get(active)?.node.id ?? "";
    if (id === activeId) return;
    activeId = id;
    if (id) grid.setAttribute("aria-activedescendant", id);
    else grid.removeAttribute("aria-activedescendant");
  }

  function setActive(index) {
    if (order.length === 0) return;
    active = Math.max(0, Math.min(order.length - 1, index));
    const top = active * height;
    const visible = grid.clientHeight - head.offsetHeight;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + height > grid.scrollTop + visible) grid.scrollTop = top + height - visible;
    draw();
    markActive();
    onactive(all[order[active]]);
  }

  body.addEventListener("click", (event) => {
    const index = entries.get(event.target.closest(".grid-row"))?.index ?? -1;
    if (index < 0) return;
    setActive(index);
    onopen(all[order[index]]);
  });
  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid) return;
    const page = Math.max(1, Math.floor(grid.clientHeight / height) - 2);
    const to = {
      ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: order.length - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setActive(to);
    } else if ((event.key === "Enter" || event.key === " ") && active >= 0) {
      event.preventDefault();
      onopen(all[order[active]]);
    }
  });
  let isDue = false;
  grid.addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; draw(); });
  }, { passive: true });
  // The head is as high as a row, so its height changes with the density.
  const resized = new ResizeObserver(() => { measure(); draw(); markActive(); });
  resized.observe(grid);
  resized.observe(head);

  function setRows(next) {
    all = next;
    active = Math.min(active, next.length - 1);
    askedFor = -1;
    arrange();
    isStale = true;
    draw();
    markActive();
  }

  // Adds rows at the end; what is shown stays.
  function addRows(more) {
    all = all.concat(more);
    isStale ||= sorted !== null;
    arrange();
    draw();
  }

  setRows(rows);
  return { node: grid, setRows, addRows, setActive, rows: () => all, activeRow: () => all[order[active]] };
}

// Orders values of one column: nothing first, then numbers, then text.
export function compare(left, right) {
  if (left === right) return 0;
  if (left === undefined || left === null) return -1;
  if (right === undefined || right === null) return 1;
  if (typeof left === "number" && typeof right === "number") return left - right;
  return String(left).localeCompare(String(right), undefined, { numeric: true });
}

// A small bar that shows a share of the greatest value, for cells.
export function shareBar(share) {
  const width = Math.round(Math.max(0, Math.min(1, share)) * 100);
  return shape("svg", { class: "spark", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    shape("rect", { class: "s1 bar", x: 0, y: 2, height: 6, width, rx: 1, fill: "currentColor" }));
}
