// One event: what it says, its tags, and the chain of its causes.

import { element } from "/_kit/element.js";
import { addressOf } from "/_kit/frame.js";
import { codeBlock, layOutJson } from "/_kit/highlight.js";
import { exactText } from "/_kit/time.js";

export function eventDetail(tenant, { event, causes, origin }) {
  const pair = (label, value, more = {}) => value && [element("dt", {}, label), element("dd", more, value)];
  return element("div", { class: "stack", "data-event": event.id },
    element("section", { class: "card stack", "aria-label": "Event" },
      element("h2", {}, event.eventType),
      element("dl", { class: "pairs" },
        pair("Tenant", element("a", { href: addressOf("events", tenant) }, tenant)), pair("Time", exactText(event.timestamp)),
        pair("Id", event.id, { class: "id" }), pair("Position", event.sortableUniqueId, { class: "id" }),
        event.eventVersion > 1 && pair("Version", String(event.eventVersion)), pair("By", event.executedUser),
        pair("Correlation", event.correlationId, { class: "id" }), pair("Cause", event.causationId, { class: "id" })),
      element("div", { class: "tags", id: "event-tags" }, event.tags.length === 0 ? element("span", { class: "soft" }, "No tags")
        : event.tags.map((tag) => element("a", { class: "tag", href: addressOf("tags", tenant, tag) }, tag)))),
    element("section", { class: "card stack", "aria-label": "Payload" }, element("h2", {}, "Payload"),
      codeBlock(layOutJson(JSON.stringify(event.payload)), "json", { label: "Payload as JSON", isWrapped: true })),
    element("section", { class: "card stack", "aria-label": "Causes" }, element("h2", {}, "What led to it"), chain(tenant, event, causes, origin)));
}

// From the first cause down to the event.
function chain(tenant, event, causes, origin) {
  if (causes.length === 0 && !origin) return element("p", { class: "soft" }, "It names no cause.");
  const line = (one, more = {}) => element("li", more, element("span", {},
    more["aria-current"] ? one.eventType : element("a", { href: addressOf("events", tenant, one.id) }, one.eventType),
    element("span", { class: "soft" }, ` ${exactText(one.timestamp)}`)));
  return element("ol", { class: "chain", id: "chain" },
    origin && element("li", {}, element("span", { class: "id" }, origin)),
    [...causes].reverse().map((one) => line(one)), line(event, { "aria-current": "true" }));
}
