// The gallery at /_kit: every element of the kit with its states. It is also the visual test.

import { button, field, schemeButton, tabs } from "./control.js";
import { diff } from "./diff.js";
import { editor } from "./editor.js";
import { element, numberText } from "./element.js";
import { confirmDialog, dialog, emptyState, errorState, loadingState, menuButton, notice, toast } from "./feedback.js";
import { schemaForm } from "./form.js";
import { frame, split } from "./frame.js";
import { codeBlock } from "./highlight.js";
import { icon, iconNames } from "./icon.js";
import { jsonProblem } from "./json_problem.js";
import { barPlot, heatPlot, linePlot, sparkline } from "./plot.js";
import { liveStream, pause, streamTag } from "./stream.js";
import { table } from "./table.js";
import { timeAgo } from "./time.js";
import { tree } from "./tree.js";

const ITEM = `{
  "id": "order-1042",
  "customer": "Ada",
  "total": 12345678901234567890,
  "paid": true,
  "lines": [{ "sku": "A-7", "count": 2 }, { "sku": "B-1", "count": 1 }]
}`;
const SQL = "-- Orders over 100 by customer\nSELECT TOP 10 c.customer, SUM(c.total) AS total\nFROM c\nWHERE c.paid = true AND c.total > @least\nGROUP BY c.customer";

const MISTAKE = '{\n  "id": "a",\n  "total": 12,,\n}';

const sections = [
  ["type", "Type and colour", "item", typeSection], ["controls", "Controls", "settings", controlsSection],
  ["states", "States", "inbox", statesSection], ["table", "Table", "partitions", tableSection],
  ["tree", "Tree and panes", "database", treeSection], ["form", "Form", "edit", formSection],
  ["editor", "Editor and difference", "script", editorSection], ["plots", "Plots", "bill", plotSection],
  ["stream", "Live stream", "feed", streamSection], ["icons", "Icons", "planisphere", iconSection],
];

const shell = frame({ brand: { label: "UI kit" }, sections: sections.map(([id, label, name]) => ({ id, label, icon: name })), actions: [schemeButton()] });
const page = element("div", { class: "page" }, element("h1", {}, "Elements of the kit"));
for (const [id, label, , build] of sections) {
  page.append(element("section", { id: `section-${id}`, class: "stack", "aria-labelledby": `title-${id}` },
    element("h2", { id: `title-${id}` }, label), ...build()));
}
shell.main.append(page);
document.body.append(shell.skip, shell.node);
addEventListener("hashchange", show);
function show() {
  const id = location.hash.slice(2) || "type";
  shell.mark(id);
  document.getElementById(`section-${id}`)?.scrollIntoView();
}
shell.mark("type");
document.body.dataset.ready = "true";

function typeSection() {
  const colours = ["ground", "paper", "raised", "sunken", "ink", "ink-soft", "ink-faint", "line", "line-strong", "accent", "accent-soft", "good", "warn", "bad",
    "series-1", "series-2", "series-3", "series-4", "series-5", "series-6"];
  const swatches = colours.map((name) => {
    const sample = element("i");
    sample.style.background = `var(--${name})`;
    return element("div", { class: "swatch" }, sample, element("span", {}, name));
  });
  return [element("div", { class: "card stack tight" },
    element("p", { class: "large" }, "A planisphere is a flat map of the sky."),
    element("h3", {}, "Heading of a part"), element("p", {}, "Body text in one size, one weight and one measure; data stays beside its name."),
    element("p", { class: "soft small" }, "Soft text explains."), element("p", { class: "faint small" }, "Faint text is for what is known already: ", timeAgo(Date.now() - 300_000), ".")),
  element("div", { class: "swatches" }, ...swatches)];
}

function controlsSection() {
  const panels = ["Items", "Scripts", "Settings"].map((label) => ({ id: label, label, panel: element("div", { class: "stack" }, `The panel of ${label.toLowerCase()}.`) }));
  const bar = tabs("Example of tabs", panels);
  const name = field("Name of the database", element("input", { class: "input", value: "shop?" }), { hint: "Letters, digits and most signs." });
  name.showProblem("An id must not contain / \\ ? or #.");
  return [
    element("div", { class: "card stack" },
      element("div", { class: "toolbar", role: "toolbar", "aria-label": "Example of a toolbar" },
        button("Save", { kind: "primary", icon: "check" }), button("Query", { icon: "play" }), button("Delete", { kind: "danger", icon: "trash" }),
        button("Cancel", { kind: "quiet" }), button("Refresh", { icon: "refresh", onlyIcon: true }), button("Not now", { disabled: true }),
        button("Pressed", { "aria-pressed": "true" }), element("span", { class: "separator" }),
        menuButton("More actions", [{ label: "Duplicate", icon: "copy", run: () => toast("Duplicated.") }, { label: "Delete", icon: "trash", isDanger: true, run: () => toast("Deleted.") }])),
      element("div", { class: "row" }, element("span", { class: "tag" }, "tag"), element("span", { class: "tag accent" }, "new"), element("span", { class: "tag good" }, "200"),
        element("span", { class: "tag warn" }, "429"), element("span", { class: "tag bad" }, "500"), element("span", { class: "badge" }, "12")),
      element("div", { class: "row" },
        button("Toast with undo", { onclick: () => toast("The notification was dismissed.", { action: { label: "Undo", run: () => toast("It is back.") } }) }),
        button("Toast of a failure", { onclick: () => toast("The service cannot be reached.", { isBad: true }) }),
        button("Dialog", { onclick: () => confirmDialog("Delete the container 'orders'?", element("p", {}, "1,204 items and their history are deleted. This cannot be undone.")) }),
        button("Wide dialog", { onclick: () => dialog("Two versions", diff("a\nb", "a\nc"), { isWide: true }) }))),
    element("div", { class: "card stack" }, bar.node, ...panels.map(({ panel }) => panel)),
    element("div", { class: "columns" }, ...["compact", "", "comfortable"].map((density) => element("div", { class: "card row", "data-density": density || null },
      button("Save", { kind: "primary" }), button("Cancel"), element("span", { class: "soft small" }, `Density: ${density || "usual"}`)))),
    element("div", { class: "card columns" }, name.node, field("Search", element("input", { class: "input", placeholder: "id or value" })).node),
    element("div", { class: "figures" }, ...[["Requests", "1,204", ""], ["Request units", "8,311.5", "RU"], ["Throttled", "3", ""], ["Stored", "48.2", "MB"]]
      .map(([label, value, unit]) => element("div", {}, element("dl", {}, element("dt", {}, label), element("dd", {}, value, " ", element("small", {}, unit)))))),
    notice("", "Values are masked until you ask for them."), notice("warn", "The indexing policy is rebuilt at 2 items per RU."), notice("bad", "The item was changed meanwhile."), notice("good", "3,000 items were uploaded."),
  ];
}

function statesSection() {
  return [element("div", { class: "columns" },
    element("div", { class: "card flush" }, emptyState("No items yet", "Items appear here as soon as they are written.", { action: { label: "New item", run: () => toast("A new item.") } })),
    element("div", { class: "card flush" }, loadingState()),
    element("div", { class: "card flush" }, errorState(new Error("The server cannot be reached. What you typed is kept."), () => toast("Trying again."))))];
}

function tableSection() {
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    id: `order-${index}`, customer: ["Ada", "Grace", "Edsger", "Barbara"][index % 4], total: (index * 7919) % 10_000, status: index % 17 === 0 ? 429 : 200,
  }));
  const made = table("100,000 orders", [
    { name: "id", label: "Id", width: "minmax(8rem, 1fr)", cell: (row) => row.id, sort: (row) => row.id },
    { name: "customer", label: "Customer", width: "minmax(7rem, 1fr)", cell: (row) => row.customer, sort: (row) => row.customer },
    { name: "status", label: "Status", width: "6rem", cell: (row) => element("span", { class: `tag ${row.status === 200 ? "good" : "warn"}` }, row.status), sort: (row) => row.status },
    { name: "total", label: "Total", width: "7rem", align: "end", cell: (row) => numberText(row.total), sort: (row) => row.total },
  ], { rows, onopen: (row) => toast(`Opened ${row.id}.`) });
  made.node.classList.add("specimen-table");
  return [element("p", { class: "soft" }, "Rows exist only while they are in view. Arrow keys move, Enter opens, the heads sort."), made.node];
}

function treeSection() {
  const leaf = (id) => ({ id, label: id, icon: "item" });
  const made = tree("Databases", [
    { id: "shop", label: "shop", icon: "database", note: "400 RU/s", children: async () => [
      { id: "orders", label: "orders", icon: "container", note: "1,204", children: async () => ["Items", "Scripts", "Settings"].map(leaf) },
      { id: "empty", label: "archive", icon: "container", children: async () => [] }] },
    { id: "broken", label: "broken", icon: "database", children: async () => { throw new Error("The server cannot be reached."); } },
  ]);
  made.open("shop");
  const panes = split(element("div", {}, made.node), element("div", {}, element("p", { class: "soft" }, "Drag the line between the panes, or move it with the arrow keys.")), { size: "16rem" });
  panes.classList.add("specimen-split");
  return [panes];
}

function formSection() {
  const made = schemaForm({
    required: ["id", "partitionKey"],
    properties: {
      id: { title: "Id", type: "string", description: "The name of the container.", pattern: "^[^/\\\\?#]+$", patternText: "An id must not contain / \\ ? or #." },
      partitionKey: { title: "Partition key", type: "string", placeholder: "/customerId", description: "Items with the same value are stored together." },
      throughput: { title: "Throughput", type: "integer", minimum: 400, multipleOf: 100, default: 400, description: "Request units per second, in steps of 100." },
      kind: { title: "Kind", enum: ["manual", "autoscale"], default: "manual" },
      ttl: { title: "Items expire", type: "boolean", description: "Items with their own time to live are deleted when it has passed." },
    },
  }, { id: "orders" });
  return [element("div", { class: "card stack form-width" }, made.node, element("div", { class: "row" },
    button("Create", { kind: "primary", onclick: () => { const value = made.read(); if (value) toast(JSON.stringify(value)); } })))];
}

function editorSection() {
  const words = ["customer", "customer.name", "total", "paid"];
  const suggest = (before) => {
    const word = /[\w.]*$/.exec(before)[0].replace(/^c\./, "");
    return { word, options: words.filter((one) => one.startsWith(word) && one !== word).map((text) => ({ text, about: "property" })) };
  };
  const wrong = editor("JSON with a mistake", { value: MISTAKE, rows: 6 });
  wrong.markLine(3);
  return [element("div", { class: "columns" },
    element("div", { class: "stack" }, element("h3", {}, "JSON"), editor("Item", { value: ITEM, rows: 9 }).node),
    element("div", { class: "stack" }, element("h3", {}, "Query"), editor("Query", { language: "sql", value: SQL, rows: 9, suggest }).node)),
  element("div", { class: "stack tight" }, wrong.node, element("p", { class: "problem" }, jsonProblem(MISTAKE).message)),
  diff(ITEM, ITEM.replace("true", "false").replace('"Ada"', '"Ada Lovelace"'), { leftTitle: "Yours", rightTitle: "Stored now" }), codeBlock(SQL, "sql", { label: "Query to read" })];
}

function plotSection() {
  const end = Date.UTC(2026, 3, 1, 12);
  const wave = (shift, size) => Array.from({ length: 60 }, (_, at) => [end + at * 1000, Math.max(0, size * (1 + Math.sin((at + shift) / 6)) + ((at * 31) % 13))]);
  const heat = ["0", "1", "2", "3"].map((name, row) => ({ label: `partition ${name}`, values: Array.from({ length: 30 }, (_, at) => ((at * (row + 3) * 7) % 19) * (row === 2 ? 4 : 1)) }));
  return [element("div", { class: "columns" },
    element("div", { class: "card" }, linePlot("Request units", [{ label: "Request units", points: wave(0, 120) }], { unit: "per second" })),
    element("div", { class: "card" }, linePlot("By operation", [{ label: "Read", points: wave(0, 60) }, { label: "Query", points: wave(9, 140) }, { label: "Create", points: wave(4, 30) }], { unit: "RU per second" }))),
  element("div", { class: "card" }, barPlot("Request units by container", [{ label: "shop/orders", value: 812.5 }, { label: "shop/customers", value: 240 }, { label: "chat/messages", value: 96.25 }])),
  element("div", { class: "card" }, heatPlot("Heat of physical partitions", heat, Array.from({ length: 30 }, (_, at) => `12:${String(at).padStart(2, "0")}`), { unit: "RU per second" })),
  element("div", { class: "row" }, "Sparkline ", sparkline([3, 5, 2, 8, 9, 4, 6, 11, 7], "Requests of the last minutes"))];
}

// A source of its own: three events, then the connection breaks, as a server that is restarted does.
function streamSection() {
  const lines = element("ol", { class: "mono small stream-lines", id: "stream-lines" });
  const { node, show } = streamTag();
  let count = 0;
  const open = async (_, { headers }) => {
    const from = headers["last-event-id"] ?? "the start";
    const body = new ReadableStream({ async start(controller) {
      for (let at = 0; at < 3; at += 1) {
        count += 1;
        controller.enqueue(new TextEncoder().encode(`id: ${count}\ndata: ${JSON.stringify({ count, from })}\n\n`));
        await pause(300);
      }
      controller.error(new Error("The connection broke."));
    } });
    return new Response(body);
  };
  const stop = new AbortController();
  liveStream("/", { open, onstate: show, signal: stop.signal, onevent: (_, data) => {
    lines.prepend(element("li", {}, `event ${data.count}, connected after ${data.from}`));
    while (lines.childElementCount > 6) lines.lastElementChild.remove();
    if (data.count >= 9) stop.abort();
  } });
  const states = ["live", "waiting", "refused"].map((state) => {
    const tag = streamTag();
    tag.show(state);
    return tag.node;
  });
  return [element("div", { class: "card stack" }, element("div", { class: "row" }, "States ", ...states),
    element("div", { class: "row" }, element("span", {}, "A stream that breaks after three events and goes on behind the last one"), node), lines)];
}

function iconSection() {
  return [element("div", { class: "icons" }, ...iconNames.map((name) => element("span", {}, icon(name), name)))];
}
