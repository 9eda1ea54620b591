// A tree whose branches are loaded when they are opened. Arrow keys move, open and close as in every tree.

import { element } from "./element.js";
import { icon } from "./icon.js";

// A node is { id, label, icon, note, children, menu }: `children` is a function that returns a promise of nodes, and
// absent for leaves; `menu` returns an element that is shown at the end of the row. `isDraggable` lets rows be dragged; each
// row has the id of its node as `data-id`.
export function tree(label, roots, { onselect = () => {}, isDraggable = false } = {}) {
  const node = element("ul", { class: "tree", role: "tree", "aria-label": label });
  const branches = new Map();
  let selectedId = null;

  function branch(data, level, parent) {
    const group = data.children ? element("ul", { role: "group" }) : null;
    const row = element("div", { class: "branch" },
      icon(data.children ? "chevron" : data.icon ?? "item"), data.children && icon(data.icon ?? "item"),
      element("span", { class: "truncate", title: data.label }, data.label), data.note && element("span", { class: "note" }, data.note), data.menu?.());
    if (data.children) row.firstElementChild.classList.add("twist");
    row.style.setProperty("--indent", `${0.25 + (level - 1) * 1.125 + (data.children ? 0 : 0.25)}rem`);
    const item = element("li", { role: "treeitem", tabindex: "-1", "aria-level": String(level), "aria-selected": "false", "aria-label": data.label, "data-id": data.id, draggable: isDraggable ? "true" : null }, row, group);
    if (group) {
      item.setAttribute("aria-expanded", "false");
      group.hidden = true;
    }
    const made = { data, item, group, level, parent, isLoaded: false };
    branches.set(item, made);
    row.addEventListener("click", (event) => {
      event.stopPropagation();
      if (event.target.closest("button")) return;
      focusOn(item);
      if (event.target.closest(".twist")) toggle(made);
      else choose(made);
    });
    return item;
  }

  function choose(made) {
    select(made.data.id);
    if (made.data.children && made.item.getAttribute("aria-expanded") === "false") open(made);
    onselect(made.data);
  }

  function select(id) {
    selectedId = id;
    for (const { data, item } of branches.values()) item.setAttribute("aria-selected", String(data.id === id));
  }

  async function open(made) {
    if (!made.group) return;
    made.item.setAttribute("aria-expanded", "true");
    made.group.hidden = false;
    if (!made.isLoaded) await load(made);
  }

  async function load(made) {
    made.isLoaded = true;
    made.item.setAttribute("aria-busy", "true");
    try {
      const children = await made.data.children();
      forget(made.group);
      made.group.replaceChildren(...children.map((child) => branch(child, made.level + 1, made)));
      if (children.length === 0) made.group.append(line(made, made.data.emptyText ?? "Nothing here"));
      if (selectedId) select(selectedId);
    } catch (error) {
      made.isLoaded = false;
      made.group.replaceChildren(line(made, `${error.message} Close and open it to try again.`, "problem"));
    }
    made.item.removeAttribute("aria-busy");
  }

  function line(made, text, kind = "faint small") {
    const inner = element("div", { class: `branch ${kind}` }, text);
    inner.style.setProperty("--indent", `${0.5 + made.level * 1.125}rem`);
    return element("li", { role: "none" }, inner);
  }

  function forget(group) {
    for (const item of group.querySelectorAll("[role=treeitem]")) branches.delete(item);
  }

  function close(made) {
    made.item.setAttribute("aria-expanded", "false");
    made.group.hidden = true;
  }

  const toggle = (made) => (made.item.getAttribute("aria-expanded") === "true" ? close(made) : open(made));

  function focusOn(item) {
    for (const other of branches.keys()) other.tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  }

  node.addEventListener("keydown", (event) => {
    const made = branches.get(document.activeElement);
    if (!made) return;
    const visible = [...node.querySelectorAll("[role=treeitem]")].filter((item) => item.offsetParent !== null);
    const at = visible.indexOf(made.item);
    const isOpen = made.item.getAttribute("aria-expanded") === "true";
    const moves = {
      ArrowDown: () => visible[at + 1] && focusOn(visible[at + 1]),
      ArrowUp: () => visible[at - 1] && focusOn(visible[at - 1]),
      Home: () => focusOn(visible[0]),
      End: () => focusOn(visible.at(-1)),
      ArrowRight: () => (made.group && !isOpen ? open(made) : visible[at + 1] && isOpen && focusOn(visible[at + 1])),
      ArrowLeft: () => (isOpen ? close(made) : made.parent && focusOn(made.parent.item)),
      Enter: () => choose(made),
      " ": () => choose(made),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
  });

  function setRoots(next) {
    branches.clear();
    node.replaceChildren(...next.map((data) => branch(data, 1, null)));
    if (node.firstElementChild) node.firstElementChild.tabIndex = 0;
    if (selectedId) select(selectedId);
  }

  const find = (id) => [...branches.values()].find((made) => made.data.id === id);
  // Loads a branch again, and opens it.
  async function reload(id) {
    const made = find(id);
    if (!made?.group) return;
    made.isLoaded = false;
    await open(made);
  }

  setRoots(roots);
  return { node, setRoots, select, reload, open: (id) => (find(id) ? open(find(id)) : undefined) };
}
