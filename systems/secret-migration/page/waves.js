// Waves with live progress: plan, approve, start, stop, roll back.

import { button, field } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { dialog, emptyState, toast } from "/_kit/feedback.js";
import { call } from "/_kit/session.js";
import { reloadInto } from "./reload.js";
import { askRollback } from "./rollback.js";

const TONES = { RUNNING: "accent", FINISHED: "good", STOPPED: "bad", "ROLLED-BACK": "bad", PAUSED: "warn" };
const list = element("div", { class: "clusters", id: "waves" });

export function shown(panel) {
  const isOperator = document.body.dataset.operator === "true";
  panel.replaceChildren(element("div", { class: "row apart" }, element("h1", {}, "Waves"),
    isOperator && button("Plan a wave", { icon: "plus", kind: "primary", id: "plan-wave", onclick: plan })), list);
  changed();
}

export function changed() {
  return reloadInto(list, async () => {
    const { waves } = await call("GET", "/v1/waves");
    if (waves.length === 0) return emptyState("No waves", "A wave migrates workloads together.", { icon: "play" });
    const reports = await Promise.all(waves.map(({ id }) => call("GET", `/v1/waves/${encodeURIComponent(id)}`)));
    return element("div", { class: "clusters" }, reports.map(card));
  });
}

// What the wave takes, how fast, when it stops, and who wanted it.
function rules({ selector, ratePerMinute, stopAtErrorRatio, createdBy, approvedBy }) {
  const where = selector.namespaces?.length > 0 ? `${selector.cluster} (${selector.namespaces.join(", ")})` : selector.cluster;
  return [where, ratePerMinute && `${integerText(ratePerMinute)} per minute`,
    stopAtErrorRatio !== undefined && stopAtErrorRatio !== null && `stops at ${Math.round(stopAtErrorRatio * 100)} % failures`,
    `by ${createdBy}`, approvedBy && `approved by ${approvedBy}`].filter(Boolean).join(" · ");
}

function card(wave) {
  const counts = wave.byStatus;
  const done = counts.MIGRATED ?? 0;
  const failures = Object.entries(wave.failures);
  const act = (label, action, kind = "") => button(label, {
    kind, onclick: async () => {
      try {
        await call("POST", `/v1/waves/${encodeURIComponent(wave.id)}/${action}`);
      } catch (error) {
        toast(error.message, { isBad: true });
      }
      changed();
    },
  });
  const isOperator = document.body.dataset.operator === "true";
  const isOver = ["FINISHED", "ROLLED-BACK"].includes(wave.status);
  const needsApproval = wave.needsApproval && !wave.approvedBy;
  return element("section", { class: "card wave", "data-wave": wave.id, "aria-label": wave.id },
    element("div", { class: "row apart" }, element("h2", {}, wave.id), element("span", { class: `tag ${TONES[wave.status] ?? ""}`, "data-status": wave.status }, wave.status)),
    element("p", { class: "soft" }, rules(wave)),
    element("meter", { min: 0, max: Math.max(1, wave.total), value: done, "aria-label": `${done} of ${wave.total} migrated` }),
    element("p", {}, `${integerText(done)} of ${integerText(wave.total)} migrated, ${integerText(failures.length)} failed${wave.reason ? `. ${wave.reason}` : ""}`),
    failures.length > 0 && element("ul", {}, failures.map(([id, error]) => element("li", {}, `${id}: ${error}`))),
    isOperator && element("div", { class: "row" },
      needsApproval && act("Approve", "approve"),
      wave.status === "RUNNING" && act("Stop", "pause", "danger"),
      wave.status !== "RUNNING" && !isOver && !needsApproval && act(wave.status === "PLANNED" ? "Start" : "Continue", "start", "primary"),
      button("Roll back", { kind: "danger", onclick: () => askRollback(`the wave ${wave.id}`, `/v1/waves/${encodeURIComponent(wave.id)}/rollback`, changed) })));
}

async function plan() {
  const { clusters } = await call("GET", "/v1/clusters");
  const input = (name, more = {}) => element("input", { class: "input", name, ...more });
  const id = field("Name", input("id", { required: true }));
  const cluster = field("Cluster", element("select", { class: "input", name: "cluster" }, clusters.map((name) => element("option", { value: name }, name))));
  const namespaces = field("Namespaces", input("namespaces"), { hint: "Names with commas between; all if empty." });
  const rate = field("Per minute", input("rate", { type: "number", min: 1 }), { hint: "No limit if empty." });
  const stop = field("Stop at a share of failures", input("stop", { type: "number", min: 0, max: 1, step: 0.01 }), { hint: "Such as 0.1; never if empty." });
  const run = () => call("POST", "/v1/waves", {
    name: id.input.value.trim(),
    selector: { cluster: cluster.input.value, namespaces: namespaces.input.value.split(",").map((name) => name.trim()).filter(Boolean) },
    ...(rate.input.value && { ratePerMinute: Number(rate.input.value) }),
    ...(stop.input.value && { stopAtErrorRatio: Number(stop.input.value) }),
  });
  const body = element("div", { class: "stack" }, id.node, cluster.node, namespaces.node, rate.node, stop.node);
  if (await dialog("Plan a wave", body, { actions: [{ label: "Cancel", value: null }, { label: "Plan", kind: "primary", run }] })) changed();
}
