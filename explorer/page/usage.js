// Bill and heat: request units live, by operation and by physical partition; totals, prices, and another partition key.

import { button, field } from "/_kit/control.js";
import { bytesText, element, integerText, numberText } from "/_kit/element.js";
import { emptyState, errorState, notice } from "/_kit/feedback.js";
import { barPlot, heatPlot, linePlot } from "/_kit/plot.js";
import { pause } from "/_kit/stream.js";
import { json } from "./api.js";
import { indexCost, indexStorage } from "./index_cost.js";
import { whatIf } from "./what_if.js";

const POLL_MS = 2_000;
const SECONDS = 120;
const HEAT_COLUMNS = 40;
const clock = new Intl.DateTimeFormat(undefined, { minute: "2-digit", second: "2-digit" });

export async function usageView() {
  const abort = new AbortController();
  const live = element("div", { class: "stack", id: "live" });
  const totals = element("div", { class: "stack wide", id: "totals" });
  const what = element("div", { class: "stack" });

  async function drawLive() {
    const { seconds, now } = await json("GET", "/_planisphere/traffic", { signal: abort.signal });
    const end = Math.floor(now / 1000);
    const by = new Map(seconds.map((one) => [one.second, one]));
    const times = Array.from({ length: SECONDS }, (_, at) => end - SECONDS + at);
    const line = (label, read) => ({ label, points: times.map((time) => [time * 1000, read(by.get(time)) ?? 0]) });
    const recent = times.map((time) => by.get(time)).filter(Boolean);
    const kinds = [...new Set(recent.flatMap((one) => Object.keys(one.byOperation)))].sort().slice(0, 6);
    const sum = (read) => recent.reduce((all, one) => all + read(one), 0);
    live.replaceChildren(
      element("div", { class: "figures" }, ...[["Requests, last 2 minutes", integerText(sum((one) => one.requests))], ["Request units", numberText(sum((one) => one.requestUnits))], ["Throttled (429)", integerText(sum((one) => one.throttled))], ["Busiest second", `${numberText(Math.max(0, ...recent.map((one) => one.requestUnits)))} RU`]].map(figure)),
      element("div", { class: "columns" },
        element("div", { class: "card" }, linePlot("Request units", [line("Request units", (one) => one?.requestUnits)], { unit: "per second" })),
        element("div", { class: "card" }, kinds.length > 0 ? linePlot("By operation", kinds.map((kind) => line(kind, (one) => one?.byOperation[kind])), { unit: "RU per second" }) : emptyState("Quiet", "No request in the last two minutes.", { icon: "bill" }))),
      element("div", { class: "card" }, heatOf(times, by)));
  }

  function heatOf(times, by) {
    const names = [...new Set(times.flatMap((time) => Object.keys(by.get(time)?.byPartition ?? {})))].sort().slice(0, 24);
    if (names.length === 0) return emptyState("No heat", "Physical partitions that are used appear here, hotter ones in a stronger colour.", { icon: "partitions" });
    const width = times.length / HEAT_COLUMNS;
    const columns = Array.from({ length: HEAT_COLUMNS }, (_, at) => times.slice(at * width, (at + 1) * width));
    const rows = names.map((name) => ({ label: name.split("/").slice(1).join("/"), values: columns.map((span) => span.reduce((all, time) => all + (by.get(time)?.byPartition[name] ?? 0), 0)) }));
    return heatPlot("Heat of physical partitions", rows, columns.map((span) => clock.format(new Date(span[0] * 1000))), { unit: `RU in ${width} seconds` });
  }

  async function drawTotals(candidate) {
    const headers = candidate ? { "x-planisphere-try-partition-key": candidate } : {};
    const report = await json("GET", "/_planisphere/report", { headers });
    totals.replaceChildren(...report.containers.flatMap((one) => containerParts(one, report.prices)));
    if (report.containers.length === 0) totals.append(emptyState("No container", "Totals appear with the first container.", { icon: "bill" }));
    return report;
  }

  const key = field("Another partition key", element("input", { class: "input mono", id: "candidate", placeholder: "/customerId" }), { hint: "What recorded traffic would have cost with it. Needs a server with --record-traffic." });
  const tryIt = button("Try it", { onclick: async () => {
    key.showProblem("");
    try {
      const report = await drawTotals(key.input.value.trim());
      what.replaceChildren(...report.containers.map(whatIf).filter(Boolean));
      if (what.childElementCount === 0) key.showProblem("No traffic was recorded: start the server with --record-traffic.");
    } catch (error) {
      key.showProblem(error.message);
    }
  } });

  await drawLive();
  await drawTotals();
  (async () => {
    while (!abort.signal.aborted) {
      await pause(POLL_MS, abort.signal);
      if (!abort.signal.aborted) await drawLive().catch((error) => { if (error.name !== "AbortError" && error.status !== 401) live.prepend(errorState(error)); });
    }
  })();
  const node = element("div", { class: "page" }, element("h1", {}, "Bill and heat"),
    element("p", { class: "soft" }, "The explorer's own requests are in none of these figures. The totals below are those of the report since the server was opened."), live,
    element("h2", {}, "Since the server was opened"), totals,
    element("section", { class: "card stack", "aria-label": "What if" }, element("h2", {}, "What if"), key.node, element("div", { class: "row" }, tryIt), what));
  return { node, leave: () => abort.abort() };
}

const figure = ([label, value]) => element("div", {}, element("dl", {}, element("dt", {}, label), element("dd", {}, value)));

function containerParts(one, prices) {
  const { totals, throughput } = one;
  const money = (value) => `${prices.currency} ${numberText(value ?? 0)}`;
  const bars = (rows, label) => rows.slice(0, 10).map((row) => ({ label: label(row), value: row.requestUnits }));
  const index = one.unusedIndexes ?? [];
  return [element("section", { class: "card stack", "aria-label": `${one.database}/${one.container}` },
    element("h3", {}, `${one.database} / ${one.container}`),
    element("div", { class: "figures" }, ...[["Requests", integerText(totals.requests)], ["Request units", numberText(totals.requestUnits)], ["Throttled", integerText(totals.throttled)], ["Stored", bytesText(totals.bytes)], ["Storage per month", money(totals.storagePricePerMonth)], ["Manual per month", money(throughput.manual.pricePerMonth)], ["Autoscale per month", money(throughput.autoscale.pricePerMonth)]].map(figure)),
    element("p", { class: "soft small" }, `For what was used: manual ${integerText(throughput.manual.requestUnitsPerSecond)} RU/s, or autoscale up to ${integerText(throughput.autoscale.maximum)} RU/s, billed ${numberText(throughput.autoscale.billedPerSecondOnAverage)} RU/s on average.`),
    ...(one.findings ?? []).map((text) => notice("warn", typeof text === "string" ? text : text.text ?? JSON.stringify(text))),
    element("div", { class: "columns" },
      one.operations.length > 0 && barPlot("By operation", bars(one.operations, (row) => row.operation), { unit: "RU" }),
      one.logicalPartitions.length > 0 && barPlot("By logical partition", bars(one.logicalPartitions, (row) => JSON.stringify(row.partitionKey)), { unit: "RU" })),
    one.queries.length > 0 && barPlot("By query shape", bars(one.queries, (row) => row.shape), { unit: "RU" }),
    storagePart(one),
    index.length > 0 && barPlot("Indexed paths that no query used", index.slice(0, 10).map((row) => ({ label: row.path, value: row.requestUnitsPerWrite })), { unit: "RU per write" }))];
}

// Loaded when it is opened: it reads some items of the container.
function storagePart({ database, container }) {
  const place = element("div", {});
  const open = button("Storage by index path", { icon: "container", "aria-label": `Storage by index path of ${container}`, onclick: async () => {
    try {
      place.replaceChildren(indexStorage(await indexCost({ database, container })));
      open.remove();
    } catch (error) {
      place.replaceChildren(errorState(error));
    }
  } });
  return element("div", { class: "stack tight" }, element("div", { class: "row" }, open), place);
}
