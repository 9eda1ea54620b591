// Files in and out: JSON lines or CSV by drop or by choice, with progress; the items of a filter as JSON lines.

import { element, integerText } from "/_kit/element.js";
import { dialog, toast } from "/_kit/feedback.js";
import { jsonProblem } from "/_kit/json_problem.js";
import { call, containerPath, json, keyHeader, keyOf, queryPage } from "./api.js";

const AT_ONCE = 8;
const FAILURES_SHOWN = 20;
const DOWNLOAD_ITEMS_MAX = 100_000;

export function acceptDrop(node, place, done) {
  node.addEventListener("dragover", (event) => { event.preventDefault(); node.classList.add("drop"); });
  node.addEventListener("dragleave", () => node.classList.remove("drop"));
  node.addEventListener("drop", (event) => {
    event.preventDefault();
    node.classList.remove("drop");
    const [file] = event.dataTransfer.files;
    if (file) upload(file, place, done);
  });
}

export function chooseFile(place, done) {
  const input = element("input", { type: "file", accept: ".json,.jsonl,.ndjson,.csv" });
  input.addEventListener("change", () => { if (input.files[0]) upload(input.files[0], place, done); });
  input.click();
}

// The items of a text: lines of JSON, one array, or CSV with a head.
export function itemsOfText(text, name) {
  if (name.toLowerCase().endsWith(".csv")) return csvItems(text);
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) {
    const wrong = jsonProblem(text);
    if (wrong) throw new Error(`This is not JSON. ${wrong.message}`);
    return JSON.parse(trimmed).map((item) => JSON.stringify(item));
  }
  return trimmed.split("\n").map((line) => line.trim()).filter(Boolean);
}

function csvItems(text) {
  const rows = csvRows(text);
  const [head, ...rest] = rows;
  return rest.map((row) => JSON.stringify(Object.fromEntries(head.map((name, at) => [name, csvValue(row[at], name)]).filter(([, value]) => value !== undefined))));
}

// Ids stay text; other cells become numbers and truth values where they are written so.
function csvValue(cell, name) {
  if (cell === undefined || cell === "") return undefined;
  if (name === "id") return cell;
  if (/^(true|false|null|-?(0|[1-9]\d{0,14})(\.\d+)?)$/.test(cell)) return JSON.parse(cell);
  return cell;
}

function csvRows(text) {
  const rows = [[]];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    if (isQuoted) {
      if (one === '"' && text[at + 1] === '"') { cell += '"'; at += 1; } else if (one === '"') isQuoted = false;
      else cell += one;
    } else if (one === '"') isQuoted = true;
    else if (one === ",") { rows.at(-1).push(cell); cell = ""; } else if (one === "\n") {
      rows.at(-1).push(cell.replace(/\r$/, ""));
      rows.push([]);
      cell = "";
    } else cell += one;
  }
  rows.at(-1).push(cell.replace(/\r$/, ""));
  return rows.filter((row) => row.length > 1 || row[0] !== "");
}

// Upserts the items of a file, several at a time; failures are named by line and the rest goes on.
async function upload(file, place, done) {
  let lines;
  try {
    lines = itemsOfText(await file.text(), file.name);
  } catch (error) {
    toast(`${file.name} cannot be read: ${error.message}`, { isBad: true });
    return;
  }
  const { partitionKey: definition } = await json("GET", containerPath(place.database, place.container));
  const bar = element("progress", { max: lines.length, value: 0, "aria-label": "Progress" });
  const said = element("p", { role: "status", id: "upload-status" }, `0 of ${integerText(lines.length)}`);
  const failures = element("ul", { class: "small problem" });
  const stop = new AbortController();
  const closed = dialog(`Upload ${file.name}`, element("div", { class: "stack" }, bar, said, failures), { actions: [{ label: "Close", value: true }] });
  closed.then(() => stop.abort());
  let next = 0;
  let written = 0;
  let failed = 0;
  const work = async () => {
    while (next < lines.length && !stop.signal.aborted) {
      const at = next;
      next += 1;
      try {
        const wrong = jsonProblem(lines[at]);
        if (wrong) throw new Error(`Column ${wrong.column}: ${wrong.why}`);
        const item = JSON.parse(lines[at]);
        await call("POST", `${containerPath(place.database, place.container)}/docs`, { headers: { ...keyHeader(keyOf(definition, item)), "x-ms-documentdb-is-upsert": "true" }, body: lines[at], signal: stop.signal });
        written += 1;
      } catch (error) {
        if (error.name === "AbortError") return;
        failed += 1;
        if (failed <= FAILURES_SHOWN) failures.append(element("li", {}, `Line ${at + 1}: ${error.message}`));
      }
      bar.value = written + failed;
      said.textContent = `${integerText(written)} of ${integerText(lines.length)} written${failed ? `, ${integerText(failed)} failed` : ""}`;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  said.textContent = `Done: ${integerText(written)} written${failed ? `, ${integerText(failed)} failed` : ""}.`;
  done();
}

// Saves the items of a filter to a file, page by page.
export async function download(place, condition, say) {
  const lines = [];
  let continuation = null;
  try {
    do {
      const page = await queryPage(place, `SELECT * FROM c${condition ? ` WHERE ${condition}` : ""}`, { count: 1000, continuation });
      lines.push(...page.rows.map((row) => JSON.stringify(row)));
      ({ continuation } = page);
    } while (continuation && lines.length < DOWNLOAD_ITEMS_MAX);
  } catch (error) {
    say(error.message, { isBad: true });
    return;
  }
  const url = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/x-ndjson" }));
  element("a", { href: url, download: `${place.container}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  say(`${integerText(lines.length)} items saved${continuation ? "; larger containers with `planisphere export`" : ""}.`);
}

