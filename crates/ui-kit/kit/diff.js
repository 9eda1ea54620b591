// Two texts side by side, line by line.

import { element } from "./element.js";

// Beyond this the middle is shown as changed as a whole: the table of common lines grows with the product.
const CELLS_MAX = 4_000_000;

export function diff(left, right, { leftTitle = "Before", rightTitle = "After" } = {}) {
  const node = element("div", { class: "diff", role: "region", tabindex: "0", "aria-label": `${leftTitle} and ${rightTitle}` },
    element("div", { class: "title" }, leftTitle), element("div", { class: "title" }, rightTitle));
  for (const { kind, from, to } of rows(left.split("\n"), right.split("\n"))) {
    node.append(
      element("div", { class: from === null ? "none" : kind === "same" ? "" : "removed" }, from ?? ""),
      element("div", { class: to === null ? "none" : kind === "same" ? "" : "added" }, to ?? ""));
  }
  return node;
}

function rows(before, after) {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head
    && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const same = (text) => ({ kind: "same", from: text, to: text });
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

// The lines that differ: the longest common part stays beside itself, the rest is paired in order.
function middle(before, after) {
  const out = [];
  let gone = [];
  let come = [];
  const pair = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1) {
      out.push({ kind: "changed", from: gone[at] ?? null, to: come[at] ?? null });
    }
    gone = [];
    come = [];
  };
  if (before.length * after.length > CELLS_MAX) {
    gone = before;
    come = after;
    pair();
    return out;
  }
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = before[i] === after[j] ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      pair();
      out.push({ kind: "same", from: before[i], to: after[j] });
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      gone.push(before[i]);
      i += 1;
    } else {
      come.push(after[j]);
      j += 1;
    }
  }
  pair();
  return out;
}
