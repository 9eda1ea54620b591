// The board: every cluster with its counts, how many are left over time, and what a run would do.

import { button } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { emptyState } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { linePlot } from "/_kit/plot.js";
import { call } from "/_kit/session.js";
import { reloadInto } from "./reload.js";
import { askRollback } from "./rollback.js";
import { STATUSES } from "./status.js";

const clusters = element("div", { class: "clusters", id: "clusters" });

export function shown(panel) {
  panel.replaceChildren(element("h1", {}, "Board"), clusters);
  changed();
}

export function changed() {
  return reloadInto(clusters, async () => {
    const { clusters: names } = await call("GET", "/v1/clusters");
    if (names.length === 0) return emptyState("No clusters", "Scan a cluster to begin.", { icon: "container" });
    const summaries = await Promise.all(names.map((name) => call("GET", `/v1/clusters/${encodeURIComponent(name)}/summary`)));
    return element("div", { class: "clusters" }, summaries.map(card));
  });
}

const figure = (label, value) => element("div", {}, element("dl", {}, element("dt", {}, label), element("dd", {}, value)));

function card(summary) {
  const { cluster } = summary;
  const counts = STATUSES.map((status) => figure(status, integerText(summary.byStatus[status] ?? 0)));
  const left = summary.minutesLeft === undefined ? "not known" : `${integerText(summary.minutesLeft)} min`;
  const points = summary.burnDown.map(({ at, left: open }) => [Date.parse(at), open]);
  const isOperator = document.body.dataset.operator === "true";
  const total = Object.values(summary.byStatus).reduce((sum, count) => sum + count, 0);
  const done = `${integerText(summary.byStatus.MIGRATED ?? 0)} of ${integerText(total)} migrated`;
  return element("section", { class: "card stack", "data-cluster": cluster, "aria-label": cluster },
    element("div", { class: "row apart" }, element("h2", {}, element("a", { href: addressOf("workload", cluster) }, cluster)),
      isOperator && button("Roll back", { kind: "danger", onclick: () => askRollback(`the cluster ${cluster}`, `/v1/clusters/${encodeURIComponent(cluster)}/rollback`, changed) })),
    element("div", { class: "progress" }, element("meter", { min: 0, max: Math.max(1, total), value: summary.byStatus.MIGRATED ?? 0, "aria-label": done }), element("p", { class: "soft" }, done)),
    element("div", { class: "figures" }, counts, figure("Held", integerText(summary.held)), figure("Drifted", integerText(summary.drifted)),
      figure("Missing", integerText(summary.missing)), figure("Time left", left)),
    points.length > 1 && linePlot("Left to migrate", [{ label: "left", points }], { unit: "workloads" }));
}
