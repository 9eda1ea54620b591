// The tags of a tenant; the history and the state of one.

import { field } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { errorState, loadInto } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { codeBlock, layOutJson } from "/_kit/highlight.js";
import { call } from "/_kit/session.js";
import { table } from "/_kit/table.js";
import { exactText, timeAgo } from "/_kit/time.js";
import { timeOf } from "./position.js";
import { of, tenantField, withTenant } from "./tenant.js";

const PAGE_EVENTS = 200;

export function shown(panel, [tenant, tag]) {
  withTenant(panel, "tags", tenant, (name) => (tag ? one(panel, name, tag) : list(panel, name)));
}

function list(panel, tenant) {
  const group = field("Group", element("input", { class: "input", name: "group", type: "search", onchange: () => reload() }));
  const count = element("p", { class: "soft", role: "status", id: "count" });
  const problem = element("div");
  const rows = table("Tags", [
    { label: "Tag", width: "minmax(12rem, 2fr)", cell: (row) => row.tag, sort: (row) => row.tag },
    { label: "Events", width: "7rem", align: "end", cell: (row) => integerText(row.eventCount), sort: (row) => row.eventCount },
    { label: "First", width: "9rem", cell: (row) => timeAgo(timeOf(row.firstSortableUniqueId)), sort: (row) => row.firstSortableUniqueId },
    { label: "Last", width: "9rem", cell: (row) => timeAgo(timeOf(row.lastSortableUniqueId)), sort: (row) => row.lastSortableUniqueId },
  ], { onopen: (row) => { location.hash = addressOf("tags", tenant, row.tag); } });

  async function reload() {
    const asked = group.input.value.trim();
    try {
      const { items } = await call("GET", `${of(tenant)}/tags${asked ? `?group=${encodeURIComponent(asked)}` : ""}`);
      rows.setRows(items);
      count.textContent = `${integerText(items.length)} ${items.length === 1 ? "tag" : "tags"}`;
      problem.replaceChildren();
    } catch (error) {
      problem.replaceChildren(errorState(error, reload));
    }
  }

  panel.replaceChildren(element("h1", {}, "Tags"), element("div", { class: "stack listing" },
    element("div", { class: "row filters" }, tenantField("tags", tenant), group.node), problem, count, rows.node));
  reload();
}

function one(panel, tenant, tag) {
  const state = element("div", { id: "state" });
  const projector = field("Projector", element("select", { class: "input", name: "projector", onchange: () => showState() }));
  const rows = table("History", [
    { label: "Time", width: "13rem", cell: (row) => exactText(row.timestamp) },
    { label: "Type", width: "minmax(9rem, 1fr)", cell: (row) => row.eventType },
    { label: "Payload", width: "minmax(12rem, 2fr)", cell: (row) => JSON.stringify(row.payload) },
  ], { onopen: (row) => { location.hash = addressOf("events", tenant, row.id); }, onend: () => more() });
  const problem = element("div");
  let next;

  async function more() {
    if (next === null) return;
    const since = next;
    next = null;
    try {
      const page = await call("POST", "/admin/v1/query", { serviceId: tenant, query: { items: [{ tags: [tag] }] }, since, limit: PAGE_EVENTS });
      rows.addRows(page.items);
      next = page.next ?? null;
    } catch (error) {
      problem.replaceChildren(errorState(error, () => { problem.replaceChildren(); next = since; return more(); }));
    }
  }

  function showState() {
    return loadInto(state, async () => {
      const found = await call("GET", of(tenant, "tags", tag, "state", projector.input.value));
      return codeBlock(layOutJson(JSON.stringify(found.state)), "json", { label: "State as JSON", isWrapped: true });
    });
  }

  async function begin() {
    const { items } = await call("GET", `${of(tenant)}/projections`);
    const [group] = tag.split(":");
    projector.input.replaceChildren(...items.map(({ name }) => element("option", { value: name, selected: name === group }, name)));
    await showState();
  }

  panel.replaceChildren(element("h1", {}, tag), element("p", {}, "Tag of ", element("a", { href: addressOf("tags", tenant) }, tenant)),
    element("section", { class: "card stack", "aria-label": "State" }, element("div", { class: "row apart" }, element("h2", {}, "State"), projector.node), state),
    element("section", { class: "card stack history", "aria-label": "History" }, element("h2", {}, "History"), problem, rows.node));
  more();
  begin().catch((error) => state.replaceChildren(errorState(error, () => begin())));
}
