// A table whose rows exist only while they are in view, so that 100,000 rows scroll like 20. The head stays; columns
// sort; one row is active by keyboard, and Enter opens it.

import { element, freshId, shape } from "./element.js";
import { icon } from "./icon.js";

const SPARE_ROWS = 12;

// columns: [{ name, label, width, align, cell(row) -> text or node, sort(row) -> value }].
export function table(label, columns, { rows = [], onopen = () => {}, onactive = () => {}, onend = () => {}, isBare = false } = {}) {
  const grid = element("div", { class: `grid${isBare ? " bare" : ""}`, role: "grid", tabindex: "0", "aria-label": label });
  const head = element("div", { class: "grid-head", role: "row" });
  const headGroup = element("div", { role: "rowgroup" }, head);
  const body = element("div", { class: "grid-body", role: "rowgroup" });
  grid.append(headGroup, body);
  const prefix = freshId("row");
  const shown = new Map();
  let all = [];
  let order = [];
  let active = -1;
  let sorted = null;
  let height = 36;
  let askedFor = -1;

  head.append(...columns.map((column) => headCell(column)));
  grid.style.setProperty("--columns", columns.map(({ width = "minmax(8rem, 1fr)" }) => width).join(" "));

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
    draw(true);
  }

  function arrange() {
    order = all.map((_, index) => index);
    if (!sorted) return;
    const values = all.map((row) => sorted.column.sort(row));
    const sign = sorted.direction === "ascending" ? 1 : -1;
    order.sort((left, right) => sign * compare(values[left], values[right]) || left - right);
  }

  function draw(isChanged = false) {
    if (!grid.isConnected) return;
    // The height is a token in rem; it changes with the density and the pointer.
    const measured = Number.parseFloat(getComputedStyle(grid).getPropertyValue("--row")) * 16 || 36;
    const isResized = measured !== height;
    height = measured;
    if (isChanged || isResized) {
      for (const node of shown.values()) node.remove();
      shown.clear();
    }
    body.style.height = `${order.length * height}px`;
    grid.setAttribute("aria-rowcount", String(order.length + 1));
    const first = Math.max(0, Math.floor(grid.scrollTop / height) - SPARE_ROWS);
    const last = Math.min(order.length, Math.ceil((grid.scrollTop + grid.clientHeight) / height) + SPARE_ROWS);
    for (const [index, node] of shown) {
      if (index < first || index >= last) {
        node.remove();
        shown.delete(index);
      }
    }
    const created = [];
    for (let index = first; index < last; index += 1) {
      if (!shown.has(index)) {
        const node = rowNode(index);
        shown.set(index, node);
        created.push(node);
      }
    }
    body.append(...created);
    markActive();
    if (last >= order.length && order.length > 0 && askedFor !== order.length) {
      askedFor = order.length;
      onend();
    }
  }

  function rowNode(index) {
    const row = all[order[index]];
    const node = element("div", { class: "grid-row", role: "row", id: `${prefix}-${index}`, "aria-rowindex": String(index + 2) });
    for (const { cell, align } of columns) {
      const content = cell(row);
      const inner = content instanceof Node ? content : element("span", {}, content ?? "");
      if (!(content instanceof Node) && String(content ?? "").length > 24) inner.title = content;
      node.append(element("div", { role: "gridcell", class: align === "end" ? "end" : "" }, inner));
    }
    node.style.transform = `translateY(${index * height}px)`;
    node.addEventListener("click", () => { setActive(index); onopen(row); });
    return node;
  }

  function markActive() {
    for (const [index, node] of shown) {
      node.classList.toggle("active", index === active);
      node.setAttribute("aria-selected", String(index === active));
    }
    const node = shown.get(active);
    if (node) grid.setAttribute("aria-activedescendant", node.id);
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
    onactive(all[order[active]]);
  }

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
  new ResizeObserver(() => draw()).observe(grid);

  function setRows(next) {
    all = next;
    active = Math.min(active, next.length - 1);
    askedFor = -1;
    arrange();
    draw(true);
  }

  // Adds rows at the end; what is shown stays.
  function addRows(more) {
    all = all.concat(more);
    const isSorted = sorted !== null;
    arrange();
    draw(isSorted);
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
