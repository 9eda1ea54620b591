// Buttons, fields, tabs, and the switch between light and dark.

import { element, freshId } from "./element.js";
import { icon } from "./icon.js";

// A button. `label` is its text, or only its name when `onlyIcon` is set.
export function button(label, { icon: name, kind = "", onlyIcon = false, onclick, ...rest } = {}) {
  const about = onlyIcon ? { "aria-label": label, title: label } : {};
  return element("button", {
    type: "button", class: `button ${kind}${onlyIcon ? " only-icon" : ""}`.trim(), onclick, ...about, ...rest,
  }, name && icon(name), onlyIcon ? null : label);
}

// A labelled field with a hint and a place for its problem.
export function field(label, input, { hint } = {}) {
  input.id ||= freshId("field");
  if (!input.classList.length) input.className = "input";
  const problem = element("p", { class: "problem", id: `${input.id}-problem`, role: "alert" });
  const about = hint && element("p", { class: "hint", id: `${input.id}-hint` }, hint);
  input.setAttribute("aria-describedby", [about && about.id, problem.id].filter(Boolean).join(" "));
  const node = element("div", { class: "field" }, element("label", { for: input.id }, label), about, input, problem);
  const showProblem = (text) => {
    problem.textContent = text ?? "";
    input.setAttribute("aria-invalid", String(Boolean(text)));
  };
  return { node, input, showProblem };
}

// Tabs with their panels: [{ id, label, icon, panel }]. Arrow keys move between tabs; `onselect` gets the id.
export function tabs(label, list, { selected = list[0]?.id, onselect = () => {} } = {}) {
  const bar = element("div", { class: "tabs", role: "tablist", "aria-label": label });
  const all = new Map();
  const select = (id, focus = false) => {
    for (const [name, { tab, panel }] of all) {
      const isSelected = name === id;
      tab.setAttribute("aria-selected", String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      if (panel) panel.hidden = !isSelected;
    }
    if (focus) all.get(id)?.tab.focus();
    onselect(id);
  };
  for (const { id, label: text, icon: name, panel } of list) {
    const tab = element("button", { type: "button", role: "tab", class: "tab", id: freshId("tab"), onclick: () => select(id) },
      name && icon(name), text);
    if (panel) {
      panel.id ||= freshId("panel");
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      panel.tabIndex = 0;
    }
    all.set(id, { tab, panel });
    bar.append(tab);
  }
  bar.addEventListener("keydown", (event) => {
    const names = [...all.keys()];
    const at = names.findIndex((name) => all.get(name).tab === document.activeElement);
    const to = nextIndex(event.key, at, names.length, "ArrowLeft", "ArrowRight");
    if (to === null) return;
    event.preventDefault();
    select(names[to], true);
  });
  if (selected !== undefined) select(selected);
  return { node: bar, select };
}

// The index that a key moves to in a list that wraps around; null for other keys.
export function nextIndex(key, at, length, back = "ArrowUp", forth = "ArrowDown") {
  if (length === 0) return null;
  if (key === forth) return (at + 1) % length;
  if (key === back) return (at - 1 + length) % length;
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  return null;
}

// The button that changes between light and dark; the choice is kept in this browser.
export function schemeButton() {
  const root = document.documentElement;
  const kept = localStorage.getItem("scheme");
  if (kept) root.dataset.scheme = kept;
  const isDark = () => (root.dataset.scheme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const node = button("Change to dark", { onlyIcon: true, kind: "quiet", icon: "moon" });
  const show = () => {
    const label = isDark() ? "Change to light" : "Change to dark";
    node.setAttribute("aria-label", label);
    node.title = label;
    node.replaceChildren(icon(isDark() ? "sun" : "moon"));
  };
  node.addEventListener("click", () => {
    root.dataset.scheme = isDark() ? "light" : "dark";
    localStorage.setItem("scheme", root.dataset.scheme);
    show();
  });
  show();
  return node;
}
