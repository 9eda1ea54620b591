// Appends that were refused because others were faster, and items of other tenants that were hidden.

import { element, integerText } from "/_kit/element.js";
import { emptyState, notice, reloadInto } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";
import { timeAgo } from "/_kit/time.js";

const EVERY_MS = 3_000;
const SHOWN_MAX = 100;
const place = element("div", { id: "conflicts" });
let timer = 0;

export function left() {
  clearInterval(timer);
}

export function shown(panel) {
  panel.replaceChildren(element("h1", {}, "Conflicts"), place);
  reload();
  timer = setInterval(reload, EVERY_MS);
}

function reload() {
  return reloadInto(place, async () => {
    const { items, foreignItems } = await call("GET", "/admin/v1/conflicts");
    const warning = foreignItems > 0 && notice("bad", element("p", {}, `Reads found ${integerText(foreignItems)} items of other tenants and hid them. The log has each of them.`));
    if (items.length === 0) return element("div", { class: "stack" }, warning, emptyState("No conflicts", "No append was refused since the service started.", { icon: "check" }));
    return element("div", { class: "stack" }, warning,
      element("p", { class: "soft" }, `${integerText(items.length)} since the service started${items.length > SHOWN_MAX ? `; the last ${SHOWN_MAX}` : ""}`),
      items.slice(0, SHOWN_MAX).map(card));
  });
}

function card({ at, serviceId, eventTypes, tags, reason, conflicts }) {
  const version = (text) => element("td", { class: "id" }, text ?? "empty");
  return element("section", { class: "card stack", "data-conflict": serviceId, "aria-label": `${eventTypes.join(", ")} of ${serviceId}` },
    element("div", { class: "row apart" }, element("h2", {}, eventTypes.join(", ")), element("span", { class: "soft" }, timeAgo(at))),
    element("div", { class: "tags" }, element("a", { class: "tag accent", href: addressOf("events", serviceId) }, serviceId),
      tags.map((tag) => element("a", { class: "tag", href: addressOf("tags", serviceId, tag) }, tag))),
    element("p", {}, reason),
    conflicts.length > 0 && element("table", { class: "versions" },
      element("thead", {}, element("tr", {}, ["Tag", "Expected", "Actual"].map((label) => element("th", { scope: "col" }, label)))),
      element("tbody", {}, conflicts.map(({ tag, expected, actual }) => element("tr", {}, element("td", {}, tag), version(expected), version(actual))))));
}
