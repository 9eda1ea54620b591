// Runs a script with arguments: a procedure on a logical partition, a function in a query of its own. Shows the response,
// the log and the charge, and keeps what was typed while the dialog is open.

import { field } from "/_kit/control.js";
import { editor } from "/_kit/editor.js";
import { element } from "/_kit/element.js";
import { dialog, notice } from "/_kit/feedback.js";
import { call, containerPath, json, keyHeader } from "./api.js";
import { keyValues } from "./items.js";

// What a script of each kind can be run as; a trigger runs only with a write that names it.
const RUNNERS = { sprocs: runProcedure, udfs: runFunction };

export const isRunnable = (segment) => segment in RUNNERS;

export async function runScript(place, segment, script) {
  const isProcedure = segment === "sprocs";
  const { partitionKey } = await json("GET", containerPath(place.database, place.container));
  const key = field("Partition key", element("input", { class: "input mono", autocomplete: "off" }), { hint: `JSON, or plain text: ${partitionKey.paths.join(", ")}. Several values as a JSON array.` });
  const typed = editor("Arguments", { value: "[]", rows: 4 });
  typed.node.classList.add("script-arguments");
  const result = element("div", { class: "stack tight", id: "script-result", role: "status" });
  const run = async () => {
    result.replaceChildren();
    const values = argumentsOf(typed);
    const done = await RUNNERS[segment](place, script.id, values, key.input.value);
    show(result, done);
    // The dialog stays open for the next run.
    return false;
  };
  const about = isProcedure
    ? "One transaction in this logical partition: all of it is kept, or nothing if it throws."
    : "SELECT VALUE udf." + script.id + "(...): the function sees its arguments and no item.";
  return dialog(`Run '${script.id}'`, element("div", { class: "stack" },
    element("p", { class: "hint" }, about), isProcedure && key.node, typed.node, result),
  { isWide: true, actions: [{ label: "Close", value: null }, { label: "Run", kind: "primary", run }] });
}

// The arguments as a list; a mistake is shown at its line.
function argumentsOf(typed) {
  let values;
  try {
    values = JSON.parse(typed.value().trim() || "[]");
  } catch (error) {
    throw new Error(`The arguments are not JSON: ${error.message}`);
  }
  if (!Array.isArray(values)) throw new Error("Write the arguments as a JSON array, one element for each parameter.");
  return values;
}

async function runProcedure(place, id, values, key) {
  const headers = { ...keyHeader(keyValues(key.trim())), "x-ms-documentdb-script-enable-logging": "true" };
  const path = `${containerPath(place.database, place.container)}/sprocs/${encodeURIComponent(id)}`;
  const answer = await call("POST", path, { headers, body: values });
  const log = answer.headers.get("x-ms-documentdb-script-log-results");
  return { text: answer.text, log: log ? decodeURIComponent(log) : "", charge: answer.charge };
}

async function runFunction(place, id, values) {
  const names = values.map((_, at) => `@a${at}`);
  const body = { query: `SELECT VALUE udf.${id}(${names.join(", ")})`, parameters: values.map((value, at) => ({ name: names[at], value })) };
  const headers = { "x-ms-documentdb-isquery": "true", "content-type": "application/query+json", "x-ms-documentdb-query-enablecrosspartition": "true", "x-planisphere-merge-partitions": "true" };
  const answer = await call("POST", `${containerPath(place.database, place.container)}/docs`, { headers, body });
  const rows = JSON.parse(answer.text).Documents;
  return { text: rows.length === 0 ? "undefined" : JSON.stringify(rows[0]), log: "", charge: answer.charge };
}

function show(place, { text, log, charge }) {
  const heading = (words) => element("h3", { class: "small" }, words);
  place.append(notice("good", `Done, ${charge} RU.`), heading("Response"), element("pre", { class: "code wrap", tabindex: "0", "aria-label": "Response" }, pretty(text)));
  if (log) place.append(heading("Log"), element("pre", { class: "code wrap", tabindex: "0", "aria-label": "Log" }, log));
}

// Numbers keep all their digits: only text that survives being read and written is laid out again.
function pretty(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
