// The result of a query: rows as a table, as JSON or as a plot; its charge term by term, its plan, and the index that
// would help.

import { button, tabs } from "/_kit/control.js";
import { diff } from "/_kit/diff.js";
import { element, integerText, numberText } from "/_kit/element.js";
import { dialog, emptyState, notice, toast } from "/_kit/feedback.js";
import { codeBlock } from "/_kit/highlight.js";
import { barPlot, linePlot, sparkline } from "/_kit/plot.js";
import { table } from "/_kit/table.js";
import { call, containerPath, json } from "./api.js";
import { countItems } from "./account.js";

export function queryResult({ place, page, isReadOnly, charges, next }) {
  const rows = [...page.rows];
  let continuation = page.continuation;
  let charge = page.charge;
  let shown = "table";
  let made = null;
  const panels = ["table", "json", "plot"].map((id) => ({ id, label: { table: "Table", json: "JSON", plot: "Plot" }[id], panel: element("div", {}) }));
  const [asTable, asJson, asPlot] = panels.map(({ panel }) => panel);
  const bar = tabs("Form of the result", panels, { onselect: (id) => draw(id) });
  const status = element("span", { class: "soft small", role: "status", id: "result-status" });
  const more = button("Next page", { id: "next-page", onclick: loadMore });

  function draw(id) {
    shown = id;
    if (id === "table") {
      made = rowTable(rows);
      asTable.replaceChildren(made ? made.node : emptyState("No rows", "The query has no result.", { icon: "search" }));
    } else if (id === "json") {
      asJson.replaceChildren(codeBlock(JSON.stringify(rows.slice(0, 500), null, 2), "json", { label: "Rows as JSON" }));
    } else {
      asPlot.replaceChildren(plotOf(rows));
    }
  }

  function say() {
    status.textContent = `${integerText(rows.length)} rows${continuation ? ", more to come" : ""} · ${numberText(charge)} RU`;
    more.hidden = !continuation;
  }

  async function loadMore() {
    try {
      const answer = await next(continuation);
      rows.push(...answer.rows);
      ({ continuation } = answer);
      charge += answer.charge;
      if (shown === "table" && made && sameColumns(rows, answer.rows)) made.addRows(answer.rows);
      else draw(shown);
      say();
    } catch (error) {
      if (error.name !== "AbortError") toast(error.message, { isBad: true });
    }
  }

  say();
  return element("div", { class: "result-parts" },
    element("div", { class: "stack" }, element("div", { class: "row apart" }, bar.node, element("div", { class: "row" }, status, more)), ...panels.map(({ panel }) => panel)),
    element("div", { class: "stack" },
      element("section", { class: "card stack", "aria-label": "Charge", id: "charge" }, element("div", { class: "row apart" }, element("h2", {}, "Charge"), charges.length > 1 && sparkline(charges, `Earlier charges: ${charges.join(", ")}`)), chargeTerms(page)),
      element("section", { class: "card stack", "aria-label": "Plan", id: "plan" }, element("h2", {}, "Plan"), ...planOf(page, place, isReadOnly))));
}

const isObject = (row) => typeof row === "object" && row !== null && !Array.isArray(row);
const columnNames = (rows) => [...new Set(rows.slice(0, 100).flatMap((row) => (isObject(row) ? Object.keys(row) : ["value"])))].filter((name) => !/^_(rid|self|etag|attachments)$/.test(name));
const sameColumns = (all, added) => columnNames(added).every((name) => columnNames(all).includes(name));

function rowTable(rows) {
  if (rows.length === 0) return null;
  const value = (row, name) => (isObject(row) ? row[name] : row);
  const text = (one) => (one === undefined ? "" : typeof one === "string" ? one : JSON.stringify(one));
  return table("Rows", columnNames(rows).map((name) => ({
    label: name, width: "minmax(9rem, 1fr)", align: typeof value(rows[0], name) === "number" ? "end" : "",
    cell: (row) => text(value(row, name)), sort: (row) => value(row, name),
  })), { rows, onopen: (row) => dialog("Row", codeBlock(JSON.stringify(row, null, 2), "json", { label: "Row" }), { isWide: true }) });
}

// The first text or time against the first number of the rows.
function plotOf(rows) {
  const names = columnNames(rows);
  const read = (row, name) => (isObject(row) ? row[name] : row);
  const number = names.find((name) => rows.every((row) => typeof read(row, name) === "number"));
  const label = names.find((name) => name !== number && rows.some((row) => typeof read(row, name) === "string"));
  if (!number) return emptyState("Nothing to plot", "A plot needs a number in every row.", { icon: "bill" });
  const times = label && rows.every((row) => !Number.isNaN(Date.parse(read(row, label))) && /^\d{4}-/.test(read(row, label)));
  if (times) return linePlot(number, [{ label: number, points: rows.map((row) => [Date.parse(read(row, label)), read(row, number)]).sort((left, right) => left[0] - right[0]) }]);
  return barPlot(label ? `${number} by ${label}` : number, rows.slice(0, 40).map((row, at) => ({ label: String(label ? read(row, label) : at + 1), value: read(row, number) })));
}

function chargeTerms(page) {
  let explanation = null;
  try {
    explanation = JSON.parse(page.headers.get("x-planisphere-explain-charge"));
  } catch {
    // Without an explanation only the sum is known.
  }
  const terms = explanation?.terms ?? [];
  const words = (name) => String(name).replace(/([A-Z])/g, " $1").toLowerCase();
  const shown = terms.map((term) => [term.name ?? term.term ?? term.what, term.requestUnits ?? term.charge ?? term.units, term.detail ?? term.about ?? (term.count !== undefined ? `${term.count} ×` : "")]);
  return element("dl", { class: "charge" },
    ...shown.flatMap(([name, units, detail]) => [element("dt", {}, words(name), " ", element("span", { class: "faint small" }, detail)), element("dd", {}, numberText(Number(units)))]),
    element("dt", { class: "strong" }, "Sum"), element("dd", { class: "strong" }, `${numberText(page.charge)} RU`));
}

// Metrics of the API: "name=value;name=value".
function metricsOf(page) {
  const text = page.headers.get("x-ms-documentdb-query-metrics") ?? "";
  return Object.fromEntries(text.split(";").map((pair) => pair.split("=")).filter((pair) => pair.length === 2).map(([name, value]) => [name, Number(value)]));
}

function planOf(page, place, isReadOnly) {
  const metrics = metricsOf(page);
  const loaded = metrics.retrievedDocumentCount ?? 0;
  const out = metrics.outputDocumentCount ?? page.rows.length;
  const hit = metrics.indexUtilizationRatio ?? metrics.indexHitRatio ?? 1;
  const token = page.headers.get("x-ms-session-token") ?? "";
  const partitions = token ? token.split(",").length : 1;
  const used = utilization(page);
  const single = used.UtilizedSingleIndexes ?? used.UtilizedIndexes?.SingleIndexes ?? [];
  const utilized = [...single, ...(used.UtilizedCompositeIndexes ?? used.UtilizedIndexes?.CompositeIndexes ?? [])];
  const missing = [...(used.PotentialSingleIndexes ?? used.PotentialIndexes?.SingleIndexes ?? []), ...(used.PotentialCompositeIndexes ?? used.PotentialIndexes?.CompositeIndexes ?? [])];
  const spec = (one) => (one.IndexSpecs ?? [one.IndexSpec ?? one.IndexDocumentExpression ?? ""]).join(", ");
  const isScan = loaded > Math.max(10, out * 4);
  const words = `${utilized.length > 0 ? `The index ${utilized.map(spec).join("; ")} finds` : "Without an index the server looks at"} ${integerText(loaded)} items in ${partitions === 1 ? "one physical partition" : `${partitions} physical partitions`}; ${integerText(out)} rows leave it.`;
  const step = (label, value, isHeavy = false) => element("li", { class: isHeavy ? "heavy" : "" }, element("strong", {}, value), label);
  return [
    element("p", {}, words),
    element("ol", { class: "plan-steps" }, step("partitions touched", integerText(partitions)), step("index terms used", integerText(utilized.length)), step("items loaded", integerText(loaded), isScan), step("rows", integerText(out))),
    element("p", { class: "soft small" }, `Index hit ${numberText(hit * 100)} %.`),
    ...missing.map((one) => notice("warn", `An index on ${spec(one)} would help.`, isReadOnly ? null : button("Show the policy change", { onclick: () => addIndex(place, one.IndexSpecs ?? [spec(one)]) })))];
}

function utilization(page) {
  const text = page.headers.get("x-ms-cosmos-index-utilization");
  if (!text) return {};
  try {
    return JSON.parse(text.startsWith("{") ? text : decodeURIComponent(text));
  } catch {
    try {
      return JSON.parse(atob(text));
    } catch {
      return {};
    }
  }
}

// Shows the indexing policy with the index added, and what it costs, before it is applied.
async function addIndex(place, specs) {
  const path = containerPath(place.database, place.container);
  const about = await json("GET", path);
  const policy = structuredClone(about.indexingPolicy);
  if (specs.length > 1) {
    const composite = specs.map((one) => { const [name, order = "ASC"] = one.trim().split(/\s+/); return { path: name, order: order.startsWith("DESC") ? "descending" : "ascending" }; });
    policy.compositeIndexes = [...(policy.compositeIndexes ?? []), composite];
  } else {
    policy.includedPaths = [...(policy.includedPaths ?? []), { path: specs[0].trim().split(/\s+/)[0] }];
  }
  const items = await countItems(place, "").catch(() => null);
  const text = (one) => JSON.stringify(one, null, 2);
  const done = await dialog("The index that would help", element("div", { class: "stack" },
    notice("", `The index is built in the background for ${items === null ? "all" : integerText(items)} items. Every write that changes the path then pays for its terms.`),
    diff(text(about.indexingPolicy), text(policy), { leftTitle: "Now", rightTitle: "After" })), {
    isWide: true, actions: [{ label: "Cancel", value: null }, { label: "Apply", kind: "primary", run: () => call("PUT", path, { body: { ...about, indexingPolicy: policy }, headers: { "if-match": about._etag } }) }],
  });
  if (done) toast("The indexing policy is changed.");
}
