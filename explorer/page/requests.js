// The last requests to the server, as they come; one of them opened with its headers and the shape of its body.

import { button } from "/_kit/control.js";
import { element, integerText, numberText } from "/_kit/element.js";
import { dialog, emptyState, toast } from "/_kit/feedback.js";
import { codeBlock } from "/_kit/highlight.js";
import { pause } from "/_kit/stream.js";
import { table } from "/_kit/table.js";
import { exactText, timeAgo } from "/_kit/time.js";
import { json } from "./api.js";

const POLL_MS = 2_000;
const KEPT_MAX = 4_000;
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

export async function requestsView() {
  const abort = new AbortController();
  let all = [];
  let isLive = true;
  let showsOwn = false;
  const status = element("span", { class: "soft small", role: "status", id: "requests-status" });
  const search = element("input", { class: "input filter", id: "request-filter", placeholder: "path, status, client …", "aria-label": "Filter the requests", autocomplete: "off", spellcheck: "false" });
  const place = element("div", { class: "fill view" });
  const live = button("Live", { icon: "play", "aria-pressed": "true", onclick: () => { isLive = !isLive; live.setAttribute("aria-pressed", String(isLive)); } });
  const own = button("The explorer's own", { "aria-pressed": "false", id: "own-requests", onclick: () => { showsOwn = !showsOwn; own.setAttribute("aria-pressed", String(showsOwn)); draw(); } });
  const list = table("Requests, newest first", [
    { label: "Time", width: "6.5rem", cell: (row) => element("span", { title: exactText(row.time) }, clock.format(new Date(row.time))), sort: (row) => row.time },
    { label: "Status", width: "6.5rem", cell: statusTag, sort: (row) => row.status },
    { label: "Operation", width: "7.5rem", cell: (row) => row.operation, sort: (row) => row.operation },
    { label: "Method", width: "5.5rem", cell: (row) => row.method, sort: (row) => row.method },
    { label: "Path", width: "minmax(12rem, 3fr)", cell: (row) => element("span", { class: "mono", title: row.path }, row.path), sort: (row) => row.path },
    { label: "RU", width: "5.5rem", align: "end", cell: (row) => numberText(row.charge), sort: (row) => row.charge },
    { label: "ms", width: "5.5rem", align: "end", cell: (row) => numberText(row.microseconds / 1000), sort: (row) => row.microseconds },
    { label: "Client", width: "minmax(8rem, 1fr)", cell: (row) => row.client, sort: (row) => row.client },
  ], { onopen: open, isBare: true });
  list.node.classList.add("request-grid");

  function draw() {
    const words = search.value.trim().toLowerCase();
    const rows = all.filter((row) => (showsOwn || !row.explorer) && (!words || `${row.path} ${row.status} ${row.client} ${row.method} ${row.operation}`.toLowerCase().includes(words)));
    list.setRows(rows);
    place.replaceChildren(rows.length === 0 ? emptyState("No requests yet", "Requests of client libraries appear here as they come. The explorer's own are hidden.", { icon: "requests" }) : list.node);
    status.textContent = `${integerText(rows.length)} of ${integerText(all.length)}`;
  }

  async function load() {
    const answer = await json("GET", "/_planisphere/requests", { headers: { "x-planisphere-after": String(all[0]?.number ?? 0) }, signal: abort.signal });
    if (answer.requests.length > 0) {
      all = [...answer.requests, ...all].slice(0, KEPT_MAX);
      if (answer.requests.some((row) => showsOwn || !row.explorer)) draw();
    }
    return answer;
  }

  async function follow() {
    while (!abort.signal.aborted) {
      await pause(POLL_MS, abort.signal);
      if (isLive && !abort.signal.aborted) await load().catch((error) => { if (error.name !== "AbortError") status.textContent = error.message; });
    }
  }

  async function open(row) {
    const path = `/_planisphere/requests/${row.number}`;
    const holder = element("div", { class: "stack", id: "request-detail" });
    const show = async (headers = {}) => {
      const detail = await json("GET", path, { headers });
      holder.replaceChildren(...parts(detail, () => show({ "x-planisphere-show-values": "true" })));
    };
    try {
      await show();
    } catch (error) {
      toast(error.message, { isBad: true });
      return;
    }
    await dialog(`${row.method} ${row.path}`, holder, { isWide: true });
  }

  search.addEventListener("input", draw);
  const first = await load();
  draw();
  follow();
  const node = element("div", { class: "view" }, element("div", { class: "view-head" }, element("h1", {}, "Requests"), search, live, own, status,
    element("span", { class: "soft small" }, "recorded since ", timeAgo(first.since))), place);
  return { node, leave: () => abort.abort() };
}

function statusTag(row) {
  const kind = row.status < 300 || row.status === 304 ? "good" : row.status === 429 ? "warn" : "bad";
  return element("span", { class: `tag ${kind}` }, row.subStatus ? `${row.status} / ${row.subStatus}` : String(row.status));
}

function parts(detail, showValues) {
  const pair = (label, value) => [element("dt", {}, label), element("dd", {}, value)];
  return [
    element("dl", { class: "pairs" }, ...pair("Time", exactText(detail.time)), ...pair("Status", statusTag(detail)), ...pair("Charge", `${numberText(detail.charge)} RU`),
      ...pair("Took", `${numberText(detail.microseconds / 1000)} ms`), ...pair("Bytes", `${integerText(detail.requestBytes)} in, ${integerText(detail.responseBytes)} out`),
      ...pair("Physical partition", detail.partition ?? "several or none"), ...pair("Activity id", element("code", {}, detail.activityId))),
    element("h3", {}, "Headers"), codeBlock(JSON.stringify(detail.headers, null, 2), "json", { label: "Headers", isWrapped: true }),
    detail.body !== undefined && element("h3", {}, detail.masked ? "Shape of the body" : "Body"),
    detail.body !== undefined && codeBlock(JSON.stringify(detail.body, null, 2), "json", { label: "Body" }),
    detail.masked && element("div", { class: "row" }, button("Show the values", { icon: "eye", id: "show-values", onclick: showValues }))].filter(Boolean);
}
