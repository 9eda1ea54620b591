// A code editor: a text area over coloured text, with line numbers, a marked wrong line, and completion. Tab leaves it,
// as a form's user expects, unless suggestions are open.

import { element, freshId, later } from "./element.js";
import { colouredLines } from "./highlight.js";

// Longer text is edited without colours, because colouring it at each key would be felt.
const COLOURED_CHARS_MAX = 200_000;
const SUGGESTIONS_MAX = 40;

// `suggest(textBefore)` returns { word, options: [{ text, about }] }: completions of the word before the caret.
export function editor(label, { language = "json", value = "", rows = 12, suggest, onchange = () => {}, onrun, isReadOnly = false } = {}) {
  const back = element("pre", { "aria-hidden": "true" });
  const area = element("textarea", {
    "aria-label": label, spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows, readonly: isReadOnly, wrap: "off",
  });
  const node = element("div", { class: "editor" }, back, area);
  const list = element("div", { class: "suggestions", role: "listbox", id: freshId("suggestions"), "aria-label": "Suggestions", hidden: true });
  if (suggest) {
    node.append(list);
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", list.id);
  }
  let wrongLine = 0;
  let found = null;
  let chosen = 0;

  function draw() {
    const isPlain = area.value.length > COLOURED_CHARS_MAX;
    node.classList.toggle("plain", isPlain);
    back.replaceChildren(...(isPlain ? [] : colouredLines(area.value, language, wrongLine)));
    follow();
  }

  function follow() {
    back.scrollTop = area.scrollTop;
    back.scrollLeft = area.scrollLeft;
  }

  function closeList() {
    found = null;
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  }

  function openList(isAsked) {
    if (!suggest || isReadOnly) return;
    const before = area.value.slice(0, area.selectionStart);
    const answer = suggest(before);
    const options = answer?.options.slice(0, SUGGESTIONS_MAX) ?? [];
    const isDone = options.length === 1 && options[0].text === answer.word;
    if (options.length === 0 || isDone || (!isAsked && answer.word === "" && !before.endsWith("."))) return closeList();
    found = { ...answer, options };
    chosen = 0;
    list.replaceChildren(...options.map(({ text, about }, at) => element("div", {
      role: "option", id: `${list.id}-${at}`, "aria-selected": String(at === 0),
      onmousedown: (event) => { event.preventDefault(); chosen = at; accept(); },
    }, text, about && element("small", {}, about))));
    list.hidden = false;
    placeList(before);
    area.setAttribute("aria-activedescendant", `${list.id}-0`);
  }

  // The font has one width, so the place of the caret follows from its line and column.
  function placeList(before) {
    const style = getComputedStyle(area);
    const lineHeight = Number.parseFloat(style.lineHeight);
    const lines = before.split("\n");
    const probe = element("span", { class: "line" }, "0".repeat(10));
    probe.style.display = "inline-block";
    back.append(probe);
    const width = probe.getBoundingClientRect().width / 10;
    probe.remove();
    const box = area.getBoundingClientRect();
    const left = box.left + Number.parseFloat(style.paddingLeft) + (lines.at(-1).length - found.word.length) * width - area.scrollLeft;
    const top = box.top + Number.parseFloat(style.paddingTop) + lines.length * lineHeight - area.scrollTop;
    list.style.left = `${Math.max(4, Math.min(left, innerWidth - list.offsetWidth - 8))}px`;
    const isBelow = top + list.offsetHeight < innerHeight;
    list.style.top = `${isBelow ? top : Math.max(4, top - lineHeight - list.offsetHeight)}px`;
  }

  function move(step) {
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = (chosen + step + found.options.length) % found.options.length;
    const option = list.children[chosen];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", option.id);
  }

  function accept() {
    const { word, options } = found;
    const end = area.selectionStart;
    closeList();
    area.setRangeText(options[chosen].text, end - word.length, end, "end");
    changed();
    area.focus();
  }

  function changed() {
    wrongLine = 0;
    draw();
    onchange(area.value);
  }

  // A new line begins with the indentation of the one before.
  function newLine(event) {
    const before = area.value.slice(0, area.selectionStart);
    const indent = /[^\n]*$/.exec(before)[0].match(/^\s*/)[0];
    const extra = /[{[(]\s*$/.test(before) ? "  " : "";
    if (!indent && !extra) return;
    event.preventDefault();
    area.setRangeText(`\n${indent}${extra}`, area.selectionStart, area.selectionEnd, "end");
    changed();
  }

  area.addEventListener("keydown", (event) => {
    if (found) {
      const steps = { ArrowDown: 1, ArrowUp: -1 };
      if (event.key in steps) { event.preventDefault(); move(steps[event.key]); return; }
      if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); accept(); return; }
      if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); closeList(); return; }
    }
    if (onrun && event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); onrun(); }
    else if (event.key === " " && event.ctrlKey) { event.preventDefault(); openList(true); }
    else if (event.key === "Enter" && !isReadOnly) newLine(event);
  });
  area.addEventListener("input", () => { changed(); openList(false); });
  area.addEventListener("scroll", () => { follow(); closeList(); });
  area.addEventListener("blur", () => closeList());
  area.value = value;
  draw();
  new ResizeObserver(later(follow, 50)).observe(area);

  return {
    node,
    area,
    value: () => area.value,
    setValue: (text) => { area.value = text; wrongLine = 0; draw(); },
    markLine: (line) => { wrongLine = line; draw(); },
    focus: () => area.focus(),
  };
}
