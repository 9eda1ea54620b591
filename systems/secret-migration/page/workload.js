// The workloads of a cluster, and one of them with its timeline and its audit.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { emptyState, toast } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";
import { workloadList } from "./list.js";
import { reloadInto } from "./reload.js";
import { askRollback } from "./rollback.js";
import { statusTag } from "./status.js";

const place = element("div", { id: "workloads" });
let address = [];
let list = null;

export function shown(panel, parts) {
  address = parts;
  const [cluster, namespace, name] = parts;
  // Outside of what is loaded again: the page has its heading also while it loads.
  list = cluster && !name ? workloadList(cluster) : null;
  place.replaceChildren(...(list ? [list.node] : []));
  panel.replaceChildren(element("h1", {}, name ? `${namespace}/${name}` : cluster ?? "Workloads"), place);
  changed();
}

export function changed() {
  const [cluster, namespace, name] = address;
  if (list) return list.reload();
  return reloadInto(place, () => (name ? one(cluster, namespace, name) : chooseCluster()));
}

async function chooseCluster() {
  const { clusters } = await call("GET", "/v1/clusters");
  if (clusters.length === 0) return emptyState("No clusters", "Scan a cluster to begin.", { icon: "container" });
  return element("div", { class: "stack" },
    element("ul", {}, clusters.map((cluster) => element("li", {}, element("a", { href: addressOf("workload", cluster) }, cluster)))));
}

async function one(cluster, namespace, name) {
  const path = `/v1/clusters/${[cluster, "workloads", namespace, name].map(encodeURIComponent).join("/")}`;
  const subject = encodeURIComponent(`${namespace}/${name}`);
  const [workload, audit] = await Promise.all([call("GET", path), call("GET", `/v1/audit?cluster=${encodeURIComponent(cluster)}&workload=${subject}`)]);
  const isOperator = document.body.dataset.operator === "true";
  const act = (label, action, kind) => button(label, {
    kind, onclick: async () => {
      try {
        await call("POST", `${path}/${action}`, {});
        toast(`${label}: asked for.`);
      } catch (error) {
        toast(error.message, { isBad: true });
      }
      changed();
    },
  });
  const { migrationStatus: status } = workload;
  const isSwitched = status === "MIGRATED" || status === "IN-PROGRESS";
  return element("div", { class: "stack", "data-workload": workload.id },
    element("div", { class: "row apart" },
      element("p", {}, statusTag(status, { id: "status" }), " on ", element("strong", { id: "backend" }, workload.secretBackend),
        workload.reason || workload.lastError ? element("span", { class: "soft" }, `: ${workload.reason ?? workload.lastError}`) : null),
      isOperator && element("div", { class: "row" },
        status === "PENDING" && !workload.paused && act("Migrate", "migrate", "primary"),
        (status === "ROLLED-BACK" || workload.paused) && act("Try again", "retry", "primary"),
        isSwitched && button("Roll back", { kind: "danger", id: "roll-back", onclick: () => askRollback(workload.id, `${path}/rollback`, changed) }))),
    element("section", { class: "card stack", "aria-label": "Paths" }, element("h2", {}, "Paths"),
      element("ul", {}, workload.hashiSecrets.items.map((item) => pathLine(workload, item)))),
    element("section", { class: "card stack", "aria-label": "Timeline" }, element("h2", {}, "Timeline and audit"),
      element("ol", { class: "timeline", id: "timeline" }, audit.map((entry, index) => step(entry, audit[index - 1])))));
}

// A path in Vault, and where its copy is.
function pathLine({ hashiSecrets, smpSecrets }, item) {
  const source = `${item.mount ?? hashiSecrets.mount}/${item.path}`;
  const copy = smpSecrets?.items.find(({ sourcePath }) => sourcePath === source);
  return element("li", {}, element("code", {}, source), item.version === undefined ? null : ` version ${item.version}`,
    copy && element("span", { class: "soft" }, " → ", element("code", {}, copy.path), ` version ${copy.version}`));
}

// One entry: when, how long after the one before, what, and by whom. Steps follow each other within milliseconds.
function step(entry, before) {
  const after = before && Date.parse(entry.at) - Date.parse(before.at);
  const since = after === undefined ? "" : after < 1000 ? `+${after} ms` : after < 120_000 ? `+${(after / 1000).toFixed(1)} s` : "";
  // Workers of a service are named by sixteen digits.
  const isWorker = /^[0-9a-f]{16}$/.test(entry.by);
  return element("li", {},
    element("span", { class: "when" }, element("time", { datetime: entry.at, title: entry.at }, clock(entry.at)), element("span", { class: "soft since" }, since)),
    element("span", {}, element("span", { class: `what status-${entry.status ?? "none"}` }, entry.action), entry.detail && element("span", { class: "detail" }, entry.detail)),
    element("span", { class: "soft by" }, isWorker ? `worker ${entry.by.slice(0, 6)}` : entry.by));
}

// The time of day; with the date if it is not today's.
function clock(at) {
  const date = new Date(at);
  const time = date.toLocaleTimeString(undefined, { hour12: false });
  return date.toDateString() === new Date().toDateString() ? time : `${date.toLocaleDateString()} ${time}`;
}
