// Workloads whose last attempt failed, of all clusters.

import { element } from "/_kit/element.js";
import { emptyState, loadInto } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";
import { table } from "/_kit/table.js";

const place = element("div", { id: "errors" });

export function shown(panel) {
  panel.replaceChildren(element("h1", {}, "Errors"), place);
  changed();
}

export function changed() {
  return loadInto(place, async () => {
    const { clusters } = await call("GET", "/v1/clusters");
    const summaries = await Promise.all(clusters.map((name) => call("GET", `/v1/clusters/${encodeURIComponent(name)}/summary`)));
    const rows = summaries.flatMap(({ errors }) => errors);
    if (rows.length === 0) return emptyState("No errors", "No workload has a failed attempt.", { icon: "check" });
    return table("Errors", [
      { label: "Workload", width: "minmax(12rem, 1fr)", cell: (row) => row.id, sort: (row) => row.id },
      { label: "Attempts", width: "6.5rem", align: "end", cell: (row) => String(row.attempts), sort: (row) => row.attempts },
      { label: "Held", width: "5rem", cell: (row) => (row.held ? "yes" : ""), sort: (row) => row.held },
      { label: "Error", width: "minmax(14rem, 3fr)", cell: (row) => row.error },
    ], { rows, onopen: (row) => { location.hash = addressOf("workload", ...row.id.split(":")); } }).node;
  });
}
