// The items of a container: a page at a time, filtered, opened beside the list; time travel where versions are kept.

import { button, field } from "/_kit/control.js";
import { element, integerText, numberText } from "/_kit/element.js";
import { dialog, emptyState, errorState, menuButton, toast } from "/_kit/feedback.js";
import { split } from "/_kit/frame.js";
import { table } from "/_kit/table.js";
import { timeAgo } from "/_kit/time.js";
import { call, containerPath, itemPath, json, keyHeader, keyOf, queryPage } from "./api.js";
import { itemEditor } from "./item_editor.js";
import { acceptDrop, chooseFile, download } from "./transfer.js";

const PAGE = 100;

export async function itemsView({ place, isReadOnly }) {
  const about = await json("GET", containerPath(place.database, place.container));
  const definition = about.partitionKey;
  const side = element("div", { class: "pane" });
  const status = element("span", { class: "soft small", role: "status", id: "items-status" });
  const filter = element("input", { class: "input filter", id: "filter", placeholder: "c.total > 100 AND c.customer = 'ada'", "aria-label": "Filter: the condition of a query", spellcheck: "false", autocomplete: "off" });
  const problem = element("p", { class: "problem", role: "alert", id: "filter-problem" });
  const listPlace = element("div", { class: "stack" });
  let continuation = null;
  let charge = 0;
  let list = null;
  let asOf = null;
  let loads = 0;

  const show = (item, text) => itemEditor({ place, definition, item, text, isReadOnly: isReadOnly || asOf !== null, asOf, onsaved: () => load(), onclosed: () => side.replaceChildren(hint()) })
    .then((node) => side.replaceChildren(node), (error) => side.replaceChildren(errorState(error)));
  const hint = () => emptyState("No item is open", "Choose one in the list, or open one by its id.", { icon: "item" });

  const columns = [
    { label: "Id", width: "minmax(9rem, 1.4fr)", cell: (row) => row.id, sort: (row) => row.id },
    ...definition.paths.map((path, at) => ({ label: path, width: "minmax(7rem, 1fr)", cell: (row) => keyText(keyOf(definition, row)[at]), sort: (row) => keyText(keyOf(definition, row)[at]) })),
    { label: "Changed", width: "8.5rem", cell: (row) => (row._ts ? timeAgo(row._ts * 1000) : ""), sort: (row) => row._ts },
  ];

  async function load() {
    const number = (loads += 1);
    problem.textContent = "";
    charge = 0;
    continuation = null;
    try {
      const page = await readPage();
      if (number !== loads) return;
      list = table("Items", columns, { rows: page.rows, onopen: (row) => show(row), onend: more, isBare: true });
      listPlace.replaceChildren(page.rows.length === 0 ? nothing() : list.node);
      say(page.rows.length);
    } catch (error) {
      if (number !== loads || error.status === 401) return;
      problem.textContent = error.message;
      if (!list) listPlace.replaceChildren(errorState(error, load));
    }
  }

  const nothing = () => (filter.value.trim() || asOf ? emptyState("Nothing found", "No item meets the filter.", { icon: "search" })
    : emptyState("No items yet", isReadOnly ? "Items appear here as soon as they are written." : "Create one, or drop a file of JSON lines or CSV here.", { icon: "item" }));

  async function readPage() {
    if (asOf !== null) return readPast();
    const condition = filter.value.trim();
    if (condition) {
      const page = await queryPage(place, `SELECT * FROM c WHERE ${condition}`, { count: PAGE, continuation });
      ({ continuation } = page);
      charge += page.charge;
      return page;
    }
    const headers = { "x-ms-max-item-count": String(PAGE), ...(continuation ? { "x-ms-continuation": continuation } : {}) };
    const answer = await call("GET", `${containerPath(place.database, place.container)}/docs`, { headers });
    continuation = answer.headers.get("x-ms-continuation");
    charge += answer.charge;
    return { rows: JSON.parse(answer.text).Documents };
  }

  async function readPast() {
    const answer = await json("GET", `/_planisphere/history/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}/${asOf}`);
    continuation = null;
    return { rows: answer.items };
  }

  let isLoading = false;
  async function more() {
    if (!continuation || isLoading) return;
    isLoading = true;
    try {
      const page = await readPage();
      list.addRows(page.rows);
      say(list.rows().length);
    } catch (error) {
      problem.textContent = error.message;
    }
    isLoading = false;
  }

  function say(count) {
    status.textContent = `${integerText(count)}${continuation ? " and more" : ""} items · ${numberText(charge)} RU${asOf ? ` · as of ${new Date(asOf * 1000).toLocaleString()}` : ""}`;
  }

  async function openById() {
    const id = field("Id", element("input", { class: "input" }));
    const key = field("Partition key", element("input", { class: "input mono", value: "" }), { hint: `JSON, or plain text: ${definition.paths.join(", ")}. Several values as a JSON array.` });
    await dialog("Open an item by point read", element("div", { class: "stack" }, id.node, key.node), { actions: [{ label: "Cancel", value: null }, { label: "Open", kind: "primary", run: async () => {
      const answer = await call("GET", itemPath(place, id.input.value), { headers: keyHeader(keyValues(key.input.value)) });
      show(JSON.parse(answer.text), answer);
      return true;
    } }] });
  }

  async function travel() {
    const when = field("Second", element("input", { class: "input", type: "datetime-local", step: "1" }), { hint: "The items that existed at the end of this second. Needs a change feed policy that keeps versions." });
    const chosen = await dialog("The container as it was", when.node, { actions: [{ label: "Now", run: () => "now" }, { label: "Show", kind: "primary", run: async () => {
      const time = Math.floor(new Date(when.input.value).getTime() / 1000);
      if (!Number.isFinite(time)) throw new Error("Give a date and a time.");
      await json("GET", `/_planisphere/history/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}/${time}`, { headers: { "x-ms-max-item-count": "1" } });
      return time;
    } }] });
    if (chosen === null) return;
    asOf = chosen === "now" ? null : chosen;
    load();
  }

  const fill = () => {
    const names = definition.paths.map((path) => path.slice(1).split("/"));
    const item = { id: "" };
    for (const path of names) path.reduce((at, name, index) => (at[name] ??= index === path.length - 1 ? "" : {}), item);
    return item;
  };
  const head = element("div", { class: "view-head" },
    element("h1", {}, element("span", { class: "crumb" }, `${place.database} / `), place.container), filter,
    !isReadOnly && button("New item", { icon: "plus", id: "new-item", onclick: () => show(null, JSON.stringify(fill(), null, 2)) }),
    button("Open by id", { icon: "search", onclick: openById }),
    menuButton("More about the items", [
      { label: "As it was at a second", icon: "history", run: travel },
      { label: "Download as JSON lines", icon: "download", run: () => download(place, filter.value.trim(), toast) },
      ...(isReadOnly ? [] : [{ label: "Upload JSON lines or CSV", icon: "upload", run: () => chooseFile(place, load) }])]),
    status, problem);
  filter.addEventListener("keydown", (event) => { if (event.key === "Enter") load(); });
  const panes = split(listPlace, side, { name: "items", size: "48%" });
  panes.classList.add("items-split");
  const node = element("div", { class: "view" }, head, panes);
  if (!isReadOnly) acceptDrop(node, place, load);
  side.append(hint());
  await load();
  return { node };
}

const keyText = (value) => (typeof value === "object" ? "" : String(value));

// Typed partition key values: a JSON array, a JSON value, or plain text.
export function keyValues(text) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [text];
  }
}
