// Another partition key, tried on recorded traffic and drawn: queries over all partitions now and then, the largest and
// the busiest keys.

import { element, integerText, numberText } from "/_kit/element.js";
import { notice } from "/_kit/feedback.js";
import { barPlot } from "/_kit/plot.js";

const percent = (share) => Math.round(1000 * (share ?? 0)) / 10;
const keyText = (key) => (typeof key === "string" ? key : JSON.stringify(key));

// One container's part of the report; null where the report has none.
export function whatIf({ database, container, candidate }) {
  if (!candidate) return null;
  const title = element("h3", {}, `${database} / ${container} with ${(candidate.partitionKey ?? []).map(keyText).join(", ")}`);
  if (candidate.note) return element("div", { class: "stack" }, title, notice("", candidate.note));
  const { now = {}, then = {} } = candidate.crossPartition ?? {};
  const pair = (label, name) => [{ label: `${label}, now`, value: percent(now[name]), note: "%" }, { label: `${label}, then`, value: percent(then[name]), note: "%", tone: 2 }];
  const shares = (title, rows) => rows?.length > 0 && barPlot(title, rows.map((row) => ({ label: keyText(row.partitionKey), value: percent(row.share), note: row.bytesEstimate === undefined ? `% · ${numberText(row.requestUnits)} RU` : "%" })), { unit: "share in %" });
  const better = (now.shareOfQueryRequestUnits ?? 0) - (then.shareOfQueryRequestUnits ?? 0);
  const largest = candidate.largest?.[0]?.share ?? 0;
  const verdict = largest > 0.5 ? ["warn", `One key would hold ${numberText(percent(largest))} % of the data: such a partition cannot be split.`]
    : better > 0.01 ? ["good", `${numberText(percent(better))} % of the request units of queries would no longer visit all partitions.`]
      : better < -0.01 ? ["warn", `${numberText(percent(-better))} % of the request units of queries would visit all partitions, which do not now.`]
        : ["", "Queries would visit as many partitions as now."];
  return element("section", { class: "stack what-if", "aria-label": `What if, ${database} / ${container}` }, title, notice(...verdict),
    element("div", { class: "columns" },
      barPlot("Over all partitions", [...pair("Queries", "shareOfQueries"), ...pair("Their RU", "shareOfQueryRequestUnits"), ...pair("All requests", "shareOfRequests")], { unit: "share in %" }),
      shares("Largest keys then", candidate.largest)),
    shares("Busiest keys then", candidate.busiest),
    element("p", { class: "hint" }, `From ${integerText(candidate.sampledItems ?? 0)} items and ${integerText(candidate.sampledQueries ?? 0)} queries that were recorded; ${integerText(candidate.keysSeen ?? 0)} keys seen. ${numberText(percent(candidate.itemsWithoutValueShare))} % of the items have no value there; ${numberText(percent(candidate.pointReadsThatNeedTheNewKeyShare))} % of the requests are point reads that would have to know the new key.`));
}
