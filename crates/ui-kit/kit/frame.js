// The frame of an application: the bar at the top, the navigation, the main part; and split panes.

import { element } from "./element.js";
import { icon } from "./icon.js";

// sections: [{ id, label, icon }]. The chosen section is the part of the address after `#/`.
export function frame({ brand, sections, actions = [], rail = [], isFull = false }) {
  const links = new Map(sections.map(({ id, label, icon: name }) => {
    const text = element("span", {}, label);
    return [id, element("a", { class: "nav-link", href: `#/${id}`, id: `nav-${id}` }, name && icon(name), text)];
  }));
  const nav = element("nav", { class: "nav", "aria-label": "Sections" }, ...links.values());
  const main = element("main", { class: "main", id: "main", tabindex: "-1" });
  const top = element("header", { class: "top" },
    element("a", { class: "brand", href: "#/" }, icon(brand.icon ?? "planisphere"), brand.label),
    element("span", { class: "grow" }), ...actions);
  const side = element("div", { class: "rail" }, sections.length > 0 ? nav : null, ...rail);
  const skip = element("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, "Skip to the content");
  const node = element("div", { class: `frame${isFull ? " full" : ""}` }, top, side, main);
  const mark = (id) => {
    for (const [name, link] of links) {
      if (name === id) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    links.get(id)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  return { node, skip, main, nav, links, mark, top, side };
}

// The section and the rest of the address: `#/items/a/b` is ["items", "a", "b"], each part decoded.
export function addressParts() {
  const text = location.hash.startsWith("#/") ? location.hash.slice(2) : "";
  return text.split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

export const addressOf = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

// Two panes with a gutter that is dragged, or moved by arrow keys. `name` keeps the size in this browser.
export function split(first, second, { down = false, size = down ? "50%" : "20rem", name, label = "Size of the panes" } = {}) {
  const gutter = element("div", {
    class: "gutter", role: "separator", tabindex: "0", "aria-label": label,
    "aria-orientation": down ? "horizontal" : "vertical", "aria-valuenow": "50", "aria-valuemin": "10", "aria-valuemax": "90",
  });
  const node = element("div", { class: `split${down ? " down" : ""}` }, first, gutter, second);
  const apply = (value) => {
    node.style.setProperty("--first", value);
    if (name) localStorage.setItem(`split-${name}`, value);
  };
  const place = (event) => {
    const box = node.getBoundingClientRect();
    move(down ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width);
  };
  const move = (share) => {
    const percent = Math.round(Math.min(0.9, Math.max(0.1, share)) * 1000) / 10;
    gutter.setAttribute("aria-valuenow", String(Math.round(percent)));
    apply(`${percent}%`);
  };
  gutter.addEventListener("pointerdown", (event) => {
    gutter.setPointerCapture(event.pointerId);
    gutter.addEventListener("pointermove", place);
    gutter.addEventListener("pointerup", () => gutter.removeEventListener("pointermove", place), { once: true });
  });
  gutter.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const box = node.getBoundingClientRect();
    const inner = first.getBoundingClientRect();
    move((down ? inner.height / box.height : inner.width / box.width) + step * 0.03);
  });
  node.style.setProperty("--first", (name && localStorage.getItem(`split-${name}`)) || size);
  return node;
}
