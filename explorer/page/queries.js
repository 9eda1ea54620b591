// Queries: several tabs kept in this browser, parameters, scope by partition key, running and cancelling.

import { button, field } from "/_kit/control.js";
import { editor } from "/_kit/editor.js";
import { element } from "/_kit/element.js";
import { emptyState, menuButton } from "/_kit/feedback.js";
import { icon } from "/_kit/icon.js";
import { jsonProblem } from "/_kit/json_problem.js";
import { queryPage } from "./api.js";
import { keyValues } from "./items.js";
import { explain } from "./query_plan.js";
import { queryResult } from "./query_result.js";
import { learn, suggestFor } from "./suggest.js";

const FIRST = "SELECT * FROM c";
const HISTORY_MAX = 30;
const keptName = (place) => `queries-${place.database}/${place.container}`;

export async function queriesView({ place, isReadOnly }) {
  const tabs = kept(place);
  let selected = 0;
  const bar = element("div", { class: "tabs", role: "tablist", "aria-label": "Queries" });
  const result = element("div", { class: "query-result", id: "query-result" });
  const problem = element("p", { class: "problem", role: "alert", id: "query-problem" });
  const parameters = field("Parameters", element("input", { class: "input mono", id: "parameters", placeholder: '{"@least": 100}', spellcheck: "false", autocomplete: "off" }));
  const scope = field("Partition key", element("input", { class: "input mono", id: "scope", placeholder: "all partitions", spellcheck: "false", autocomplete: "off" }));
  const run = button("Run", { kind: "primary", icon: "play", id: "run-query", onclick: start });
  const cancel = button("Cancel", { icon: "stop", id: "cancel-query", disabled: true, onclick: () => abort?.abort() });
  const code = editor("Query", { language: "sql", value: tabs[0].text, suggest: suggestFor(place), onrun: start, onchange: (text) => { tabs[selected].text = text; keep(); } });
  let abort = null;
  const panel = element("div", { class: "query-area", role: "tabpanel", id: "query-panel", "aria-label": "Query" }, code.node,
    element("div", { class: "columns" }, parameters.node, scope.node),
    element("div", { class: "toolbar" }, run, cancel, element("span", { class: "soft small" }, "Ctrl+Enter runs; Ctrl+Space completes."),
      element("span", { class: "push" }, menuButton("Earlier charges of this query", () => history(), { icon: "history" }))), problem);

  const keep = () => localStorage.setItem(keptName(place), JSON.stringify(tabs));
  parameters.input.addEventListener("input", () => { tabs[selected].parameters = parameters.input.value; keep(); });
  scope.input.addEventListener("input", () => { tabs[selected].scope = scope.input.value; keep(); });

  function drawTabs() {
    bar.replaceChildren(...tabs.map((_, at) => element("button", {
      type: "button", role: "tab", class: "tab", id: `query-tab-${at}`, "aria-selected": String(at === selected), "aria-controls": "query-panel", tabindex: at === selected ? "0" : "-1",
      onclick: () => select(at),
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) { select((at + step + tabs.length) % tabs.length); bar.children[selected].focus(); }
        if (event.key === "Delete") close(at);
      },
    }, `Query ${at + 1}`)));
  }

  function select(at) {
    selected = at;
    code.setValue(tabs[at].text);
    parameters.input.value = tabs[at].parameters ?? "";
    scope.input.value = tabs[at].scope ?? "";
    drawTabs();
  }

  function add() {
    tabs.push({ text: FIRST });
    keep();
    select(tabs.length - 1);
    code.focus();
  }

  function close(at) {
    tabs.splice(at, 1);
    if (tabs.length === 0) tabs.push({ text: FIRST });
    keep();
    select(Math.min(at, tabs.length - 1));
  }

  function history() {
    const runs = (tabs[selected].charges ?? []).filter((one) => one.text === tabs[selected].text.trim());
    if (runs.length === 0) return [{ label: "It has not run yet", run: () => {} }];
    return runs.slice(-10).reverse().map((one) => ({ label: `${one.charge} RU · ${new Date(one.time).toLocaleString()}`, run: () => {} }));
  }

  async function start() {
    abort?.abort();
    const mine = new AbortController();
    abort = mine;
    problem.textContent = "";
    parameters.showProblem("");
    code.markLine(0);
    const options = { key: scope.input.value.trim() ? keyValues(scope.input.value.trim()) : undefined, signal: mine.signal, explain: true };
    try {
      options.parameters = readParameters(parameters.input.value);
    } catch (error) {
      parameters.showProblem(error.message);
      return;
    }
    cancel.disabled = false;
    run.setAttribute("aria-busy", "true");
    try {
      const text = code.value().trim();
      // Together: neither waits for the other, and a plan that fails does not hide the rows.
      const [page, plan] = await Promise.all([queryPage(place, text, options), explain(place, text, options).catch(() => null)]);
      learn(place, page.rows.filter((row) => typeof row === "object" && row !== null));
      remember(text, page.charge);
      result.replaceChildren(queryResult({ place, page, plan, isReadOnly, charges: chargesOf(text), next: (continuation) => queryPage(place, text, { ...options, continuation }) }));
    } catch (error) {
      if (error.name === "AbortError") problem.textContent = "Cancelled.";
      else if (error.status !== 401) showProblem(error);
    } finally {
      if (abort === mine) cancel.disabled = true;
      run.removeAttribute("aria-busy");
    }
  }

  const chargesOf = (text) => (tabs[selected].charges ?? []).filter((one) => one.text === text);
  function remember(text, charge) {
    const tab = tabs[selected];
    tab.charges = [...(tab.charges ?? []), { text, charge, time: Date.now() }].slice(-HISTORY_MAX);
    keep();
  }

  // Marks the line of a mistake: the server names its place in the text.
  function showProblem(error) {
    let message = error.message;
    const place = /"start":\s*(\d+)/.exec(message);
    const said = /"message":\s*"([^"]*)"/.exec(message);
    if (said) [, message] = said;
    if (place) {
      const line = code.value().slice(0, Number(place[1])).split("\n").length;
      code.markLine(line);
      message = `Line ${line}: ${message}`;
    }
    problem.textContent = message;
  }

  select(0);
  const head = element("div", { class: "view-head" }, element("h1", {}, element("span", { class: "crumb" }, `${place.database} / `), place.container), bar,
    button("New query", { icon: "plus", kind: "quiet", onlyIcon: true, onclick: add }),
    tabs.length > 0 && button("Close query", { icon: "close", kind: "quiet", onlyIcon: true, onclick: () => close(selected) }));
  result.append(emptyState("No result yet", "Run the query to see its rows, its charge term by term and its plan.", { icon: "play" }));
  queryPage(place, "SELECT TOP 5 * FROM c").then((page) => learn(place, page.rows), () => {});
  return { node: element("div", { class: "view" }, head, panel, result), leave: () => abort?.abort() };
}

function kept(place) {
  try {
    const found = JSON.parse(localStorage.getItem(keptName(place)));
    if (Array.isArray(found) && found.length > 0) return found;
  } catch {
    // What is kept is not ours; begin anew.
  }
  return [{ text: FIRST }];
}

function readParameters(text) {
  if (!text.trim()) return [];
  const wrong = jsonProblem(text);
  if (wrong) throw new Error(`This is not JSON. ${wrong.message}`);
  const value = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error('Write an object such as {"@least": 100}.');
  return Object.entries(value).map(([name, one]) => ({ name: name.startsWith("@") ? name : `@${name}`, value: one }));
}
