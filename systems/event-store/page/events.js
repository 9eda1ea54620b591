// The events of a tenant as they are appended, with filters; and one event with its tags and what led to it.

import { field } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { errorState, loadInto } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call, checkSession, headers } from "/_kit/session.js";
import { liveStream, streamTag } from "/_kit/stream.js";
import { table } from "/_kit/table.js";
import { exactText } from "/_kit/time.js";
import { eventDetail } from "./event.js";
import { idAt } from "./position.js";
import { of, tenantField, withTenant } from "./tenant.js";

const PAGE_EVENTS = 1000;
const ROWS_MAX = 5000;
const WINDOWS = [["Last hour", 3_600_000], ["Last day", 86_400_000], ["Last week", 604_800_000], ["All", 0]];
let abort = null;

export function left() {
  abort?.abort();
  abort = null;
}

export function shown(panel, [tenant, id]) {
  withTenant(panel, "events", tenant, (name) => {
    if (id) {
      const place = element("div", { id: "event" });
      panel.replaceChildren(element("h1", {}, "Event"), place);
      loadInto(place, async () => eventDetail(name, await call("GET", of(name, "events", id))));
    } else {
      list(panel, name);
    }
  });
}

const words = (input) => input.value.split(",").map((word) => word.trim()).filter(Boolean);

function list(panel, tenant) {
  const changed = { onchange: () => reload() };
  const span = field("Period", element("select", { class: "input", name: "period", ...changed },
    WINDOWS.map(([label, ms]) => element("option", { value: ms, selected: ms === 86_400_000 }, label))));
  const types = field("Types", element("input", { class: "input", name: "types", type: "search", placeholder: "StudentCreated, …", ...changed }));
  const tags = field("All of the tags", element("input", { class: "input", name: "tags", type: "search", placeholder: "Student:42, …", ...changed }));
  const count = element("p", { class: "soft", role: "status", id: "count" });
  const problem = element("div");
  const state = streamTag();
  const rows = table("Events", [
    { label: "Time", width: "13rem", cell: (row) => exactText(row.timestamp) },
    { label: "Type", width: "minmax(9rem, 1fr)", cell: (row) => row.eventType, sort: (row) => row.eventType },
    { label: "Tags", width: "minmax(12rem, 2fr)", cell: (row) => row.tags.join(", ") },
    { label: "By", width: "8rem", cell: (row) => row.executedUser ?? "", sort: (row) => row.executedUser },
  ], { onopen: (row) => { location.hash = addressOf("events", tenant, row.id); } });
  const known = new Set();
  let newest = 0;

  const matches = (event) => (words(types.input).length === 0 || words(types.input).includes(event.eventType))
    && words(tags.input).every((tag) => event.tags.includes(tag));
  const say = (hasMore) => {
    const total = rows.rows().length;
    count.textContent = `${hasMore ? "The first " : ""}${integerText(total)} ${total === 1 ? "event" : "events"}${hasMore ? " of the period; choose a shorter one" : ""}`;
  };

  // An answer that was overtaken by a later question is dropped.
  async function reload() {
    const mine = (newest += 1);
    const item = { types: words(types.input), tags: words(tags.input) };
    const query = { items: item.types.length + item.tags.length > 0 ? [item] : [] };
    const ms = Number(span.input.value);
    const found = [];
    let since = ms > 0 ? idAt(Date.now() - ms) : undefined;
    try {
      do {
        const page = await call("POST", "/admin/v1/query", { serviceId: tenant, query, since, limit: PAGE_EVENTS });
        if (mine !== newest) return;
        found.push(...page.items);
        since = page.next;
      } while (since && found.length < ROWS_MAX);
      known.clear();
      for (const event of found) known.add(event.id);
      rows.setRows(found.reverse());
      say(Boolean(since));
      tags.showProblem("");
      problem.replaceChildren();
    } catch (error) {
      if (mine !== newest) return;
      if (error.status === 422) tags.showProblem(error.message);
      else problem.replaceChildren(errorState(error, reload));
    }
  }

  function add(name, event) {
    if (name !== "event" || known.has(event.id) || !matches(event)) return;
    known.add(event.id);
    rows.setRows([event, ...rows.rows()].slice(0, ROWS_MAX));
    say(false);
  }

  panel.replaceChildren(element("h1", {}, "Events"),
    element("div", { class: "stack listing" },
      element("div", { class: "row filters" }, tenantField("events", tenant), span.node, types.node, tags.node, state.node), problem, count, rows.node));
  left();
  abort = new AbortController();
  const { signal } = abort;
  reload().then(() => {
    if (signal.aborted) return;
    liveStream(`${of(tenant)}/stream?since=now`, {
      headers, signal, onevent: add, onstate: (now, status) => { state.show(now); if (status) checkSession(status); },
    });
  });
}
