// The workloads of a cluster: filters, and more rows as soon as the end of the table comes into view.

import { field } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { errorState } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";
import { table } from "/_kit/table.js";
import { timeAgo } from "/_kit/time.js";
import { statusTag, STATUSES } from "./status.js";

const PAGE_ROWS = 200;
const PAGE_ROWS_MAX = 1000;
const COLUMNS = [
  { label: "Namespace", width: "minmax(7rem, 1fr)", cell: (row) => row.namespace, sort: (row) => row.namespace },
  { label: "Workload", width: "minmax(9rem, 2fr)", cell: (row) => row.workloadName, sort: (row) => row.workloadName },
  { label: "Status", width: "9rem", cell: (row) => statusTag(row.migrationStatus), sort: (row) => row.migrationStatus },
  { label: "Backend", width: "6rem", cell: (row) => row.secretBackend, sort: (row) => row.secretBackend },
  { label: "Changed", width: "9rem", cell: (row) => timeAgo(row.updatedAt), sort: (row) => row.updatedAt },
];

export function workloadList(cluster) {
  const option = (value, label = value) => element("option", { value }, label);
  const status = field("Status", element("select", { class: "input", name: "status", onchange: () => reload() },
    option("", "All"), STATUSES.map((name) => option(name))));
  const namespace = field("Namespace", element("input", { class: "input", name: "namespace", type: "search", onchange: () => reload() }));
  const count = element("p", { class: "soft", role: "status", id: "count" });
  const problem = element("div");
  const rows = table("Workloads", COLUMNS, {
    onopen: (row) => { location.hash = addressOf("workload", cluster, row.namespace, row.workloadName); }, onend: more,
  });
  let cursor;
  let newest = 0;

  function ask(limit, from) {
    const query = new URLSearchParams({ limit });
    if (status.input.value) query.set("status", status.input.value);
    if (namespace.input.value.trim()) query.set("namespace", namespace.input.value.trim());
    if (from) query.set("cursor", from);
    return call("GET", `/v1/clusters/${encodeURIComponent(cluster)}/workloads?${query}`);
  }

  // An answer that was overtaken by a later question is dropped.
  async function load(limit, from, show) {
    const mine = (newest += 1);
    try {
      const page = await ask(limit, from);
      if (mine !== newest) return;
      show(page.workloads);
      cursor = page.cursor;
      const shown = integerText(rows.rows().length);
      count.textContent = cursor ? `The first ${shown} workloads; scroll for more.` : `${shown} ${rows.rows().length === 1 ? "workload" : "workloads"}`;
      problem.replaceChildren();
    } catch (error) {
      if (mine === newest) problem.replaceChildren(errorState(error, reload));
    }
  }

  // As many rows as there are, so that a change elsewhere does not move what is in view.
  function reload() {
    const limit = Math.min(PAGE_ROWS_MAX, Math.max(PAGE_ROWS, rows.rows().length));
    return load(limit, undefined, (workloads) => rows.setRows(workloads));
  }

  function more() {
    if (!cursor) return undefined;
    const from = cursor;
    cursor = undefined;
    return load(PAGE_ROWS, from, (workloads) => rows.addRows(workloads));
  }

  const node = element("div", { class: "stack" }, element("div", { class: "row filters" }, status.node, namespace.node), problem, count, rows.node);
  return { node, reload };
}
