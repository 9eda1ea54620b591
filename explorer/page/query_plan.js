// The plan of a query: in words, as a picture (partitions touched, index terms read, items loaded, rows), and the index
// that would help with its policy change and its price.

import { button } from "/_kit/control.js";
import { diff } from "/_kit/diff.js";
import { element, integerText, numberText, shape } from "/_kit/element.js";
import { dialog, notice, toast } from "/_kit/feedback.js";
import { call, containerPath, json, keyHeader } from "./api.js";
import { policyPrice } from "./index_cost.js";

const SQUARES_MAX = 24;

// The plan of the server for a query that is not run.
export const explain = (place, query, { parameters = [], key, signal } = {}) => json("POST", `/_planisphere/explain/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}`,
  { body: { query, parameters }, headers: key ? keyHeader(key) : {}, signal });

// Metrics of the API and of our own header: "name=value;name=value".
function metricsOf(page) {
  const text = ["x-ms-documentdb-query-metrics", "x-planisphere-query-work"].map((name) => page.headers.get(name) ?? "").join(";");
  return Object.fromEntries(text.split(";").map((pair) => pair.split("=")).filter((pair) => pair.length === 2).map(([name, value]) => [name, Number(value)]));
}

export function chargeOf(page) {
  try {
    return JSON.parse(page.headers.get("x-planisphere-explain-charge"))?.terms ?? [];
  } catch {
    return [];
  }
}

export function planParts({ page, plan, place, isReadOnly }) {
  const metrics = metricsOf(page);
  const loaded = metrics.retrievedDocumentCount ?? 0;
  const rows = metrics.outputDocumentCount ?? page.rows.length;
  const used = utilization(page);
  const utilized = () => [...list("Utilized", "Single"), ...list("Utilized", "Composite")];
  const list = (name, kind) => used[`${name}${kind}Indexes`] ?? used[`${name}Indexes`]?.[`${kind}Indexes`] ?? [];
  // A server that does not say it: every item that an index found had a term.
  const isAtLeast = metrics.indexTerms === undefined && utilized().length > 0;
  const entries = metrics.indexTerms ?? (isAtLeast ? loaded : 0);
  const missing = [...list("Potential", "Single"), ...list("Potential", "Composite")];
  const isScan = loaded > Math.max(10, rows * 4);
  const words = plan ? [`Partition keys: ${plan.partitionKeys}`, ...plan.words].map(sentence) : [];
  return [
    picture({ touched: plan?.partitions.length ?? 1, all: plan?.partitionsOfContainer ?? 1, numbers: plan?.partitions ?? [], entries, isAtLeast, loaded, rows, indexes: utilized().map(spec), isScan }),
    element("ul", { class: "plan-words" }, ...words.map((text) => element("li", {}, text))),
    isScan && notice("warn", `${integerText(loaded)} items were loaded for ${integerText(rows)} rows of this page.`),
    element("p", { class: "soft small" }, `Index hit ${numberText(100 * (metrics.indexUtilizationRatio ?? 1))} %. Counts are those of the first page.`),
    ...missing.map((one) => notice("warn", `An index on ${spec(one)} would help.`, isReadOnly ? null : button("Show the policy change and its price", { onclick: () => addIndex(place, one.IndexSpecs ?? [spec(one)]) })))].filter(Boolean);
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
const spec = (one) => (one.IndexSpecs ?? [one.IndexSpec ?? one.IndexDocumentExpression ?? ""]).join(", ");

// A funnel from left to right: the height of each stage is its count on a logarithmic scale.
function picture({ touched, all, numbers, entries, isAtLeast, loaded, rows, indexes, isScan }) {
  const stages = [["index terms read", entries], ["items loaded", loaded], ["rows", rows]];
  const countText = (at) => `${at === 0 && isAtLeast ? "≥ " : ""}${integerText(stages[at][1])}`;
  const spoken = `Plan: ${touched} of ${all} partitions touched, ${stages.map(([label], at) => `${countText(at)} ${label}`).join(", ")}`;
  const svg = shape("svg", { role: "img", "aria-label": spoken, viewBox: "0 0 360 150" });
  const middle = 76;
  const most = Math.log10(Math.max(10, ...stages.map(([, count]) => count)) + 1);
  const heightOf = (count) => 10 + 78 * (Math.log10(count + 1) / most);
  const squares = Math.min(all, SQUARES_MAX);
  const across = Math.ceil(Math.sqrt(squares));
  const side = Math.min(26, 72 / across);
  const edge = 40 + (across * side) / 2;
  const isTouched = (at) => (numbers.length === all ? true : at < touched);
  for (let at = 0; at < squares; at += 1) {
    const x = 40 - (across * side) / 2 + (at % across) * side;
    const y = middle - (Math.ceil(squares / across) * side) / 2 + Math.floor(at / across) * side;
    svg.append(shape("rect", { class: isTouched(at) ? "touched" : "untouched", x, y, width: side - 3, height: side - 3, rx: 2 }));
  }
  const label = (x, count, text) => svg.append(shape("text", { class: "count", x, y: 134, "text-anchor": "middle" }, count), shape("text", { x, y: 147, "text-anchor": "middle" }, text));
  label(40, `${integerText(touched)} of ${integerText(all)}`, "partitions");
  const centres = [130, 225, 320];
  stages.forEach(([name, count], at) => {
    const height = heightOf(count);
    const x = centres[at];
    if (at > 0) {
      const before = heightOf(stages[at - 1][1]);
      svg.append(shape("path", { class: "flow", d: `M${centres[at - 1] + 24} ${middle - before / 2}L${x - 24} ${middle - height / 2}V${middle + height / 2}L${centres[at - 1] + 24} ${middle + before / 2}Z` }));
    } else svg.append(shape("path", { class: "flow", d: `M${edge} ${middle - side / 2}L${x - 24} ${middle - height / 2}V${middle + height / 2}L${edge} ${middle + side / 2}Z` }));
    svg.append(shape("rect", { class: at === 1 && isScan ? "stage heavy" : count === 0 ? "stage none" : "stage", x: x - 24, y: middle - height / 2, width: 48, height, rx: 3 }));
    label(x, countText(at), name);
  });
  return element("figure", { class: "plan-picture" }, svg, element("figcaption", { class: "soft small" }, indexes.length > 0 ? `Index ${indexes.join("; ")}` : "No index is used."));
}

function utilization(page) {
  const text = page.headers.get("x-ms-cosmos-index-utilization");
  if (!text) return {};
  for (const decode of [(one) => one, decodeURIComponent, atob]) {
    try {
      return JSON.parse(decode(text));
    } catch {
      // Another form of the header.
    }
  }
  return {};
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
    const [name] = specs[0].trim().split(/\s+/);
    policy.includedPaths = [...(policy.includedPaths ?? []), { path: name }];
    // A path that is excluded by name stays excluded, whatever is included.
    policy.excludedPaths = (policy.excludedPaths ?? []).filter((one) => one.path !== name && one.path.replace(/\*$/, "?") !== name);
  }
  const text = (one) => JSON.stringify(one, null, 2);
  const done = await dialog("The index that would help", element("div", { class: "stack" }, await policyPrice(place, policy),
    notice("", "The index is built in the background; queries use it when it is complete."),
    diff(text(about.indexingPolicy), text(policy), { leftTitle: "Now", rightTitle: "After" })), {
    isWide: true, actions: [{ label: "Cancel", value: null }, { label: "Apply", kind: "primary", run: () => call("PUT", path, { body: { ...about, indexingPolicy: policy }, headers: { "if-match": about._etag } }) }],
  });
  if (done) toast("The indexing policy is changed.");
}
