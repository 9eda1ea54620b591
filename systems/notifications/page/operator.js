// The operator's page, for callers with the role `admin`: the queue, the results of deliveries, dead and retried events.

import { button, tabs } from "/_kit/control.js";
import { element, integerText, numberText } from "/_kit/element.js";
import { dialog, emptyState, loadInto, toast } from "/_kit/feedback.js";
import { codeBlock } from "/_kit/highlight.js";
import { barPlot, linePlot } from "/_kit/plot.js";
import { call } from "/_kit/session.js";
import { table } from "/_kit/table.js";
import { relativeText, timeAgo } from "/_kit/time.js";

const KINDS = [
  ["DEAD", "Dead"], ["FAILED", "To be retried"], ["PENDING", "Waiting"], ["PROCESSING", "In work"],
  ["COMPLETED", "Done"], ["DEDUPLICATED", "Merged"], ["RATE_LIMITED", "Not pushed"],
];
const RESULTS = { delivered: "delivered", not_configured: "no provider", invalid_token: "token refused", retry: "to be retried" };
const figures = element("div", {});
const results = element("div", { class: "card" });
const events = element("div", {});
let kind = "DEAD";

export function begin(panel) {
  const bar = tabs("Events by status", KINDS.map(([id, label]) => ({ id, label })), { onselect: (id) => { kind = id; loadEvents(); } });
  panel.classList.remove("narrow");
  panel.replaceChildren(
    element("div", { class: "row apart" }, element("h1", {}, "Operator"), button("Refresh", { icon: "refresh", onclick: shown })),
    figures, results, element("section", { class: "stack", "aria-label": "Events" }, bar.node, events));
}

export function shown() {
  loadFigures();
  loadResults();
  loadEvents();
}

function loadFigures() {
  return loadInto(figures, async () => {
    const stats = await call("GET", "/admin/stats");
    const one = (label, value) => element("div", {}, element("dl", {}, element("dt", {}, label), element("dd", {}, value)));
    return element("div", { class: "figures", id: "figures" },
      one("Dead", integerText(stats.dead)), ...KINDS.slice(1).map(([name, label]) => one(label, integerText(stats.events[name] ?? 0))),
      one("Oldest waiting", stats.oldestPendingAt ? relativeText(stats.oldestPendingAt) : "none"));
  });
}

// Results of the newest deliveries that are still stored, and how many events per minute they were.
function loadResults() {
  return loadInto(results, async () => {
    const { events: done } = await call("GET", "/admin/events?status=COMPLETED");
    const counts = new Map();
    for (const { result } of done.flatMap((event) => event.deliveries ?? [])) counts.set(result, (counts.get(result) ?? 0) + 1);
    const times = done.map((event) => Date.parse(event.processedAt ?? event.createdAt)).sort((left, right) => left - right);
    if (counts.size === 0) return emptyState("No pushes yet", "The results of pushes to devices appear here.", { icon: "device" });
    return element("div", { class: "stack" }, barPlot("Results of pushes", [...counts].map(([name, value]) => ({ label: RESULTS[name] ?? name, value, tone: name === "delivered" ? 3 : 2 })), { unit: "of the listed events" }),
      rates(times));
  });
}

// Events per minute over the last hour of what is listed, newest at the right.
function rates(times) {
  const minute = (time) => Math.floor(time / 60_000);
  const end = minute(times.at(-1));
  const begin = Math.max(minute(times[0]), end - 59) - 1;
  const counts = new Map();
  for (const time of times) counts.set(minute(time), (counts.get(minute(time)) ?? 0) + 1);
  const points = Array.from({ length: end - begin + 1 }, (_, at) => [(begin + at) * 60_000, counts.get(begin + at) ?? 0]);
  const most = Math.max(...points.map(([, count]) => count));
  return element("div", { class: "stack tight", id: "rates" }, linePlot("Events per minute", [{ label: "Events", points }], { height: 150 }),
    element("p", { class: "soft small" }, `${integerText(times.length)} listed events, at most ${integerText(most)} in a minute, ${numberText(times.length / Math.max(1, points.length - 1))} on average.`));
}

function loadEvents() {
  const asked = kind;
  return loadInto(events, async () => {
    const page = await call("GET", `/admin/events?status=${asked}`);
    if (page.events.length === 0) return emptyState("None", "No event has this status.", { icon: "check" });
    const list = table("Events", [
      { label: "User", width: "minmax(6rem, 1fr)", cell: (row) => row.userId, sort: (row) => row.userId },
      { label: "Type", width: "minmax(11rem, 1.5fr)", cell: (row) => row.eventType.toLowerCase().replaceAll("_", " "), sort: (row) => row.eventType },
      { label: "Created", width: "9rem", cell: (row) => timeAgo(row.createdAt), sort: (row) => row.createdAt },
      { label: "Attempts", width: "6.5rem", align: "end", cell: (row) => String(row.retryCount), sort: (row) => row.retryCount },
      { label: "Pushes", width: "minmax(9rem, 1fr)", cell: pushes, sort: pushes },
      { label: "Last error", width: "minmax(12rem, 2fr)", cell: (row) => row.lastError ?? "" },
    ], { rows: page.events, onopen: open });
    list.node.classList.add("event-table");
    return list.node;
  });
}

const pushes = (row) => (row.deliveries ?? []).map(({ deviceId, result }) => `${deviceId}: ${RESULTS[result] ?? result}`).join(", ");

async function open(event) {
  const retry = { label: "Retry", kind: "primary", run: () => call("POST", `/admin/events/${encodeURIComponent(event.id)}/retry`) };
  const again = await dialog(`Event ${event.id}`, codeBlock(JSON.stringify(event, null, 2), "json", { label: "Event" }), {
    isWide: true, actions: [{ label: "Close", value: null }, ...(event.status === "FAILED" ? [retry] : [])],
  });
  if (!again) return;
  toast("The event has all its attempts again.");
  shown();
}
