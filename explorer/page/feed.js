// The change feed of a container: a live tail in both modes with a filter, processors with their leases, and the start of
// a processor in five languages.

import { button } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { emptyState } from "/_kit/feedback.js";
import { pause } from "/_kit/stream.js";
import { call, containerPath } from "./api.js";
import { showCode } from "./processor_code.js";
import { showProcessors } from "./processors.js";

const POLL_MS = 1_000;
const LINES_MAX = 500;

export async function feedView({ place, state }) {
  let abort = new AbortController();
  const lines = element("div", { class: "card flush", id: "feed-lines", role: "log", "aria-label": "Changes, newest first", tabindex: "0" });
  const status = element("span", { class: "soft small", role: "status", id: "feed-status" });
  const filter = element("input", { class: "input filter", "aria-label": "Show only changes that contain this text", placeholder: "text in the change", autocomplete: "off" });
  const mode = element("select", { class: "input", id: "feed-mode", "aria-label": "Mode" },
    element("option", { value: "Incremental Feed" }, "Latest version"), element("option", { value: "Full-Fidelity Feed" }, "All versions and deletes"));
  const from = element("select", { class: "input", "aria-label": "Start" }, element("option", { value: "now" }, "from now"), element("option", { value: "start" }, "from the start"));
  let count = 0;
  let isPaused = false;

  async function follow(signal) {
    lines.replaceChildren(emptyState("Waiting for changes", "Writes to the container appear here within a second.", { icon: "feed" }));
    count = 0;
    let etag = from.value === "now" ? "*" : null;
    while (!signal.aborted) {
      try {
        const headers = { "a-im": mode.value, "x-ms-max-item-count": "100", ...(etag ? { "if-none-match": etag } : {}) };
        const answer = await call("GET", `${containerPath(place.database, place.container)}/docs`, { headers, signal });
        etag = answer.headers.get("etag") ?? etag;
        const changes = answer.status === 304 ? [] : JSON.parse(answer.text).Documents;
        if (changes.length > 0) add(changes);
        status.textContent = `${integerText(count)} changes · live`;
        if (changes.length === 100) continue;
      } catch (error) {
        if (error.name === "AbortError") return;
        status.textContent = error.message;
        if (error.status >= 400 && error.status < 500) return;
      }
      await pause(POLL_MS, signal);
    }
  }

  function add(changes) {
    if (count === 0) lines.replaceChildren();
    for (const change of changes) {
      count += 1;
      const isEmpty = (value) => !value || Object.keys(value).length === 0;
      const shown = [change.current, change.previous, change.metadata].find((value) => !isEmpty(value)) ?? change;
      const text = JSON.stringify(shown);
      if (isPaused || (filter.value && !text.includes(filter.value))) continue;
      const about = change.metadata ?? {};
      const kind = about.operationType ?? "write";
      const id = (change.current ?? change.previous ?? change).id ?? about.id ?? "";
      lines.prepend(element("div", { class: "feed-line" }, element("span", {}, element("span", { class: `tag ${kind === "delete" ? "bad" : "good"}` }, kind)),
        element("span", { class: "strong truncate" }, id), element("code", { class: "small" }, text.length > 400 ? `${text.slice(0, 400)} …` : text)));
    }
    while (lines.childElementCount > LINES_MAX) lines.lastElementChild.remove();
  }

  const restart = () => {
    abort.abort();
    abort = new AbortController();
    follow(abort.signal);
  };
  mode.addEventListener("change", restart);
  from.addEventListener("change", restart);
  const paused = button("Pause", { icon: "stop", "aria-pressed": "false", onclick: () => { isPaused = !isPaused; paused.setAttribute("aria-pressed", String(isPaused)); } });
  const leases = element("div", { class: "stack", id: "leases" });
  const node = element("div", { class: "view" },
    element("div", { class: "view-head" }, element("h1", {}, `Change feed of ${place.container}`), mode, from, filter, paused,
      button("Start a processor", { icon: "copy", id: "processor-code", onclick: () => showCode(place, state) }), status),
    element("div", { class: "pane" }, lines, element("div", { class: "row apart" }, element("h2", {}, "Processors"), button("Ask for the lag again", { icon: "refresh", id: "refresh-leases", onclick: () => showProcessors(place, leases) })), leases));
  showProcessors(place, leases);
  return { node, leave: () => abort.abort(), shown: () => follow(abort.signal) };
}
