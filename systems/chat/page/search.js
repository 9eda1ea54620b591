// Search in the messages of the open room, or of all rooms of the person. Owns the panel. Does not own the conversation:
// a chosen message is shown there.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { emptyState, errorState } from "/_kit/feedback.js";
import { call } from "/_kit/session.js";
import { dayText, exactText } from "/_kit/time.js";
import { face } from "./people.js";

const TAKE = 20;
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

// The text around the first match, with all matches marked.
function excerpt(content, words) {
  const low = content.toLowerCase();
  const wanted = words.toLowerCase();
  // From the beginning of a word.
  const far = low.indexOf(wanted) - 60;
  const first = far > 0 ? Math.min(content.indexOf(" ", far) + 1 || far, low.indexOf(wanted)) : 0;
  const parts = [first > 0 && "…"];
  let at = first;
  for (let found = low.indexOf(wanted, at); found >= 0 && parts.length < 20; found = low.indexOf(wanted, at)) {
    parts.push(content.slice(at, found), element("mark", {}, content.slice(found, found + wanted.length)));
    at = found + wanted.length;
  }
  return element("span", { class: "result-text" }, ...parts, content.slice(at, at + 200));
}

// `room()` is the open room, `choose(message)` shows a message, `onclose()` follows the end.
export function search({ room, choose, onclose }) {
  const input = element("input", { class: "input", id: "search-text", type: "search", "aria-label": "Search messages", placeholder: "Search messages", enterkeyhint: "search", minlength: "2", maxlength: "100" });
  const scope = element("select", { class: "input", id: "search-scope", "aria-label": "Where" },
    element("option", { value: "room" }, "In this room"), element("option", { value: "all" }, "In all my rooms"));
  const status = element("p", { class: "soft small", id: "search-status", role: "status" });
  const list = element("ol", { class: "results", id: "results" });
  const foot = element("div", {});
  const form = element("form", { class: "stack", role: "search" }, input, element("div", { class: "row" }, scope, button("Search", { type: "submit", kind: "primary", icon: "search" })));
  const node = element("aside", { class: "side searching", id: "search", "aria-label": "Search", hidden: true },
    element("div", { class: "row apart" }, element("h2", {}, "Search"), button("Close the search", { icon: "close", kind: "quiet", onlyIcon: true, id: "search-close", onclick: () => close() })),
    form, status, list, foot);
  // Answers of an older search are dropped.
  let asked = 0;

  const row = (message, words) => element("li", {}, element("button", { type: "button", class: "result", "data-id": message.id, onclick: () => choose(message) },
    face(message.fromUserName, message.fromFullName),
    element("span", { class: "result-body" },
      element("span", { class: "result-head" }, element("span", { class: "strong truncate" }, message.fromFullName ?? message.fromUserName),
        scope.value === "all" && element("span", { class: "soft truncate" }, `#${message.room}`),
        element("time", { class: "soft push", datetime: message.timestamp, title: exactText(message.timestamp) }, `${dayText(message.timestamp)}, ${clock.format(new Date(message.timestamp))}`)),
      excerpt(message.content, words))));

  const load = async (words, last = null) => {
    const mine = (asked += 1);
    const within = scope.value === "room" ? { room: room() } : {};
    const before = last && { before: last.timestamp, beforeId: last.id, beforeRoom: last.room };
    status.textContent = "Searching…";
    foot.replaceChildren();
    try {
      const found = await call("GET", `/api/messages/search?${new URLSearchParams({ q: words, take: String(TAKE), ...within, ...before })}`);
      if (mine !== asked) return;
      if (last === null) list.replaceChildren();
      list.append(...found.map((message) => row(message, words)));
      const count = list.childElementCount;
      status.textContent = count === 0 ? "" : `${count}${found.length === TAKE ? " or more" : ""} ${count === 1 ? "message" : "messages"}`;
      if (count === 0) foot.replaceChildren(emptyState("Nothing found", "Try another word, or all your rooms.", { icon: "search" }));
      if (found.length === TAKE) foot.replaceChildren(button("More", { id: "search-more", onclick: () => load(words, found.at(-1)) }));
    } catch (error) {
      if (mine !== asked) return;
      status.textContent = "";
      foot.replaceChildren(errorState(error, () => load(words, last)));
    }
  };
  const run = () => {
    const words = input.value.trim();
    list.replaceChildren();
    foot.replaceChildren();
    asked += 1;
    status.textContent = words.length < 2 ? "Type at least two characters." : "";
    if (words.length >= 2) load(words);
  };
  const close = () => {
    if (node.hidden) return;
    node.hidden = true;
    asked += 1;
    onclose();
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  scope.addEventListener("change", () => { if (input.value.trim() !== "") run(); });
  node.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.preventDefault(); close(); } });
  return {
    node, close,
    open() { node.hidden = false; input.focus(); input.select(); },
    isOpen: () => !node.hidden,
  };
}
