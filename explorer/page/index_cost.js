// What indexes cost: storage and request units by path, and the price of another indexing policy before it is applied.

import { bytesText, element, integerText, numberText } from "/_kit/element.js";
import { notice } from "/_kit/feedback.js";
import { barPlot } from "/_kit/plot.js";
import { json } from "./api.js";

const PATHS_SHOWN = 12;
const routeOf = (place) => `/_planisphere/indexes/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}`;

export const indexCost = (place) => json("GET", routeOf(place));
export const indexCostWith = (place, policy) => json("POST", routeOf(place), { body: policy });

const nameOf = (path) => (path === "(shapes)" ? "which paths an item has" : path);
const basis = ({ items, sampledItems }) => (sampledItems < items ? `Estimated from ${integerText(sampledItems)} of ${integerText(items)} items.` : `Counted over all ${integerText(items)} items.`);

// Storage by path as bars, largest first.
export function indexStorage(cost) {
  const shown = cost.paths.slice(0, PATHS_SHOWN);
  const rest = cost.paths.slice(PATHS_SHOWN).reduce((sum, { bytes }) => sum + bytes, 0);
  const bars = shown.map(({ path, bytes, requestUnitsPerWrite }) => ({ label: nameOf(path), value: bytes / 1024, note: `KB · ${numberText(requestUnitsPerWrite)} RU per write` }));
  if (rest > 0) bars.push({ label: `${integerText(cost.paths.length - PATHS_SHOWN)} other paths`, value: rest / 1024, note: "KB", tone: 2 });
  return element("div", { class: "stack tight index-storage" },
    barPlot("Storage by index path", bars, { unit: `${bytesText(cost.bytes)} in all, before compression` }),
    element("p", { class: "hint" }, `${basis(cost)} Writing a new item pays ${numberText(cost.requestUnitsPerWrite)} RU for its index.`));
}

// Which paths are indexed only now or only then, with what a write pays for each.
function sides(changed) {
  const text = (list, pick) => list.map(([path, pair]) => `${nameOf(path)}${pair[pick].requestUnitsPerWrite > 0 ? ` (${numberText(pair[pick].requestUnitsPerWrite)} RU)` : ""}`).slice(0, PATHS_SHOWN).join(", ");
  const gone = changed.filter(([, [, after]]) => !after);
  const fresh = changed.filter(([, [, after]]) => after);
  return [fresh.length > 0 && notice("warn", `Newly indexed, paid by every write that changes them: ${text(fresh, 1)}.`),
    gone.length > 0 && notice("good", `No longer indexed: ${text(gone, 0)}.`)].filter(Boolean);
}

// The price of a policy: request units per write, storage, and what building it costs, now and then.
export async function policyPrice(place, policy) {
  const [now, then] = await Promise.all([indexCost(place), indexCostWith(place, policy)]);
  const more = then.requestUnitsPerWrite - now.requestUnitsPerWrite;
  const sign = (value, text) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${text}`;
  const row = (label, before, after, change) => element("tr", {}, element("th", { scope: "row" }, label), ...[before, after, change].map((text) => element("td", { class: "end" }, text)));
  const paths = new Map(now.paths.map((one) => [one.path, [one, null]]));
  for (const one of then.paths) paths.set(one.path, [paths.get(one.path)?.[0] ?? null, one]);
  const changed = [...paths].filter(([, [before, after]]) => before?.bytes !== after?.bytes && !(before && after));
  return element("section", { class: "stack tight", id: "policy-price", "aria-label": "Price of the change" },
    element("table", { class: "prices" },
      element("caption", { class: "visually-hidden" }, "Price of the indexing policy, now and after the change"),
      element("thead", {}, element("tr", {}, element("td", {}), ...["Now", "After", "Change"].map((text) => element("th", { scope: "col", class: "end" }, text)))),
      element("tbody", {},
        row("RU per write of a new item", numberText(now.requestUnitsPerWrite), numberText(then.requestUnitsPerWrite), sign(more, numberText(Math.abs(more)))),
        row("Index storage", bytesText(now.bytes), bytesText(then.bytes), sign(then.bytes - now.bytes, bytesText(Math.abs(then.bytes - now.bytes)))),
        row("RU to write all items once", numberText(now.requestUnitsForAllItems), numberText(then.requestUnitsForAllItems), sign(more, numberText(Math.abs(then.requestUnitsForAllItems - now.requestUnitsForAllItems)))))),
    ...sides(changed),
    element("p", { class: "hint" }, basis(now)));
}
