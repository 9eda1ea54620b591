// The result of a query: rows as a table, as JSON or as a plot; its charge term by term and its earlier charges.

import { button, tabs } from "/_kit/control.js";
import { bytesText, element, integerText, numberText } from "/_kit/element.js";
import { dialog, emptyState, toast } from "/_kit/feedback.js";
import { codeBlock } from "/_kit/highlight.js";
import { barPlot, linePlot } from "/_kit/plot.js";
import { table } from "/_kit/table.js";
import { chargeOf, planParts } from "./query_plan.js";

export function queryResult({ place, page, plan, isReadOnly, charges, next }) {
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
    status.textContent = `${integerText(rows.length)} ${rows.length === 1 ? "row" : "rows"}${continuation ? ", more to come" : ""} · ${numberText(charge)} RU`;
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
      element("section", { class: "card stack", "aria-label": "Charge", id: "charge" }, element("h2", {}, "Charge"), chargeTerms(page)),
      element("section", { class: "card stack", "aria-label": "Plan", id: "plan" }, element("h2", {}, "Plan"), ...planParts({ page, plan, place, isReadOnly })),
      element("section", { class: "card stack", "aria-label": "Earlier charges" }, element("h2", {}, "The same query before"), chargeHistory(charges))));
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
  const words = (name) => String(name).replace(/([A-Z])/g, " $1").toLowerCase();
  const detail = (term) => [term.count !== undefined && `${integerText(term.count)} ×`, term.bytes !== undefined && bytesText(term.bytes), term.path, term.level].filter(Boolean).join(" ");
  return element("dl", { class: "charge" },
    ...chargeOf(page).flatMap((term) => [element("dt", {}, words(term.term), " ", element("span", { class: "faint small" }, detail(term))), element("dd", {}, numberText(Number(term.charge)))]),
    element("dt", { class: "strong" }, "Sum"), element("dd", { class: "strong" }, `${numberText(page.charge)} RU`));
}

// Earlier charges of the same text, oldest first: [{ time, charge }].
function chargeHistory(charges) {
  if (charges.length < 2) return element("p", { class: "hint" }, "Run it again to compare charges.");
  const [first, last] = [charges.at(-2).charge, charges.at(-1).charge];
  const change = last === first ? "as the run before" : `${last > first ? "+" : "−"}${numberText(Math.abs(last - first))} RU against the run before`;
  return element("div", { class: "stack tight", id: "charge-history" },
    linePlot("Charges of this query", [{ label: "Charge", points: charges.map(({ time, charge }) => [time, charge]) }], { unit: "RU per run", height: 130 }),
    element("p", { class: "hint" }, `${integerText(charges.length)} runs in this browser; ${change}.`));
}
