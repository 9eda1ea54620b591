// Workloads whose last attempt failed, of all clusters.

import { element } from "/_kit/element.js";
import { emptyState } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";
import { reloadInto } from "./reload.js";

const place = element("div", { id: "errors" });

export function shown(panel) {
  panel.replaceChildren(element("h1", {}, "Errors"), place);
  changed();
}

export function changed() {
  return reloadInto(place, async () => {
    const { clusters } = await call("GET", "/v1/clusters");
    const summaries = await Promise.all(clusters.map((name) => call("GET", `/v1/clusters/${encodeURIComponent(name)}/summary`)));
    const rows = summaries.flatMap(({ errors }) => errors);
    if (rows.length === 0) return emptyState("No errors", "No workload has a failed attempt.", { icon: "check" });
    return element("ul", { class: "errors" }, rows.map(line));
  });
}

function line({ id, attempts, held, error }) {
  return element("li", { class: "card stack" },
    element("div", { class: "row apart" }, element("a", { class: "strong", href: addressOf("workload", ...id.split(":")) }, id),
      element("span", { class: held ? "tag bad" : "tag warn" }, held ? `held after ${attempts} attempts` : `attempt ${attempts} failed`)),
    element("p", {}, error));
}
