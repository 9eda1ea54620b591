// One world: its tree beside the chosen entity, search, trash, export; live by the stream.

import { button, field } from "/_kit/control.js";
import { element, later } from "/_kit/element.js";
import { dialog, emptyState, errorState, loadingState, toast } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { headers } from "/_kit/session.js";
import { liveStream, streamTag } from "/_kit/stream.js";
import { tree } from "/_kit/tree.js";
import { api, worldPath } from "./calls.js";
import * as entity from "./entity.js";

const SEARCH_MS = 250;
let abort = null;

export function leave() {
  abort?.abort();
}

export async function show(place, world, chosen) {
  leave();
  abort = new AbortController();
  const state = streamTag();
  const detail = element("section", { "aria-label": "Entity" });
  const side = element("div", { class: "world-tree" }, loadingState());
  const found = element("div", { class: "found", id: "found", role: "status" });
  const box = field("Search", element("input", { class: "input", type: "search", id: "search", autocomplete: "off" }));
  const select = (id) => { location.hash = addressOf("world", world, id); };
  const changed = async (id) => {
    if (id) select(id);
    await Promise.all([load(), id && entity.show(detail, world, id, changed)]);
  };
  box.input.addEventListener("input", later(() => search(world, box.input.value, found, select), SEARCH_MS));
  const bar = element("div", { class: "world-bar" },
    button("All worlds", { icon: "up", id: "all-worlds", onclick: () => { location.hash = "#/"; } }), state.node, element("span", { class: "grow" }),
    button("Trash", { icon: "trash", id: "trash", onclick: () => trash(world, changed) }),
    element("a", { class: "button", id: "export", href: `/api/v1${worldPath(world, "/export")}`, download: "" }, "Export"));
  place.replaceChildren(bar, element("div", { class: "world" }, element("div", { class: "stack" }, box.node, found, side), detail));
  let view = null;
  async function load() {
    try {
      const { data } = await api("GET", worldPath(world, "/hierarchy"));
      const open = openIds(view?.node);
      view = tree("World", [nodeOf(data.root)], { onselect: ({ id }) => select(id), isDraggable: true });
      side.replaceChildren(view.node);
      await view.open(data.root.id);
      for (const id of open) await view.open(id);
      view.select(current());
      makeDraggable(view.node, (id, parent) => entity.move(world, id, parent, changed));
    } catch (error) {
      side.replaceChildren(errorState(error, load));
    }
  }
  const current = () => decodeURIComponent(location.hash.split("/")[3] ?? world);
  const reload = later(load, 100);
  liveStream(`/api/v1${worldPath(world, "/events")}`, {
    headers, signal: abort.signal, onstate: state.show,
    onevent: (name) => { if (name === "hierarchy" || name === "reset") reload(); },
  });
  await Promise.all([load(), entity.show(detail, world, chosen ?? world, changed)]);
  return { select: (id) => { view?.select(id); return entity.show(detail, world, id, changed); } };
}

function nodeOf(node) {
  const children = node.children.length > 0 ? async () => node.children.map(nodeOf) : undefined;
  return { id: node.id, label: `${entity.iconOf(node.entityType)} ${node.name}`, note: node.children.length || "", children };
}

// The ids of the branches that are open, parents first.
function openIds(node) {
  return node ? [...node.querySelectorAll("[aria-expanded=true]")].map((item) => item.dataset.id).filter(Boolean) : [];
}

// Lets rows be dragged onto others.
function makeDraggable(node, drop) {
  node.addEventListener("dragstart", (event) => {
    const item = event.target.closest("[role=treeitem]");
    event.dataTransfer.setData("text/plain", item?.dataset.id ?? "");
  });
  node.addEventListener("dragover", (event) => { event.preventDefault(); });
  node.addEventListener("drop", (event) => {
    event.preventDefault();
    const target = event.target.closest("[role=treeitem]");
    const id = event.dataTransfer.getData("text/plain");
    if (id && target?.dataset.id && id !== target.dataset.id) drop(id, target.dataset.id);
  });
}

async function search(world, text, place, select) {
  if (text.trim() === "") return place.replaceChildren();
  try {
    const { data } = await api("GET", worldPath(world, `/search?limit=10&q=${encodeURIComponent(text)}`));
    const rows = data.map((one) => button(`${entity.iconOf(one.entityType)} ${one.name}`, { kind: "quiet", title: one.path.join(" › "), onclick: () => select(one.id) }));
    place.replaceChildren(...(rows.length > 0 ? rows : [element("p", { class: "soft" }, "Nothing found")]));
  } catch (error) {
    toast(error.message, { isBad: true });
  }
}

async function trash(world, changed) {
  const list = element("div", { id: "trash-list" }, loadingState());
  const load = async () => {
    const { data } = await api("GET", worldPath(world, "/deleted?limit=100"));
    const rows = data.map((one) => element("div", { class: "trash-row" },
      element("span", { class: "grow" }, `${entity.iconOf(one.entityType)} ${one.path.join(" › ")}`),
      button("Restore", { onclick: async () => { await entity.restore(world, one.id, changed); await load(); } })));
    list.replaceChildren(...(rows.length > 0 ? rows : [emptyState("The trash is empty", "Deleted entities stay here for 120 days.", { icon: "trash" })]));
  };
  load().catch((error) => list.replaceChildren(errorState(error, load)));
  await dialog("Trash", list, { isWide: true });
}
