// The versions of one item, newest first, each compared with the one before it; and going back to one of them.

import { button } from "/_kit/control.js";
import { diff } from "/_kit/diff.js";
import { element } from "/_kit/element.js";
import { emptyState, notice } from "/_kit/feedback.js";
import { timeAgo } from "/_kit/time.js";
import { json, keyHeader } from "./api.js";

const SYSTEM = new Set(["_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"]);
const ownText = (item) => (item ? JSON.stringify(Object.fromEntries(Object.entries(item).filter(([name]) => !SYSTEM.has(name))), null, 2) : "");
const routeOf = (place, id) => `/_planisphere/versions/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}/${encodeURIComponent(id)}`;

// A panel with the versions; `onuse(text)` puts the text of one into the editor.
export async function versionsPanel({ place, id, key, onuse }) {
  const { versions, more } = await json("GET", routeOf(place, id), { headers: keyHeader(key) });
  const shown = element("div", { class: "stack tight", id: "version-shown" });
  const words = { deleted: "deleted", expired: "expired" };
  const show = (at) => {
    const [now, before] = [versions[at], versions[at + 1]];
    for (const [index, row] of [...list.children].entries()) row.firstElementChild.setAttribute("aria-pressed", String(index === at));
    shown.replaceChildren(
      diff(ownText(before?.item), ownText(now.item), { leftTitle: before ? "The version before" : "Nothing before", rightTitle: now.item ? "This version" : `It was ${words[now.kind]}` }),
      now.item && onuse ? element("div", { class: "row" }, button("Put this version into the editor", { icon: "history", id: "use-version", onclick: () => onuse(ownText(now.item)) })) : "");
  };
  const list = element("ol", { class: "version-list", "aria-label": "Versions, newest first" }, ...versions.map((one, at) => element("li", {},
    button("", { kind: "quiet", "aria-pressed": "false", onclick: () => show(at) }))));
  [...list.children].forEach((row, at) => {
    const one = versions[at];
    row.firstElementChild.replaceChildren(element("span", { class: `tag ${one.item ? (at === 0 ? "good" : "") : "bad"}` }, one.item ? (at === 0 ? "current" : "version") : words[one.kind]),
      element("span", {}, timeAgo(one.began * 1000)), element("span", { class: "soft small" }, `lsn ${one.lsn}`));
  });
  if (versions.length === 0) return emptyState("No version", "The container keeps no versions of this item. A change feed policy with a retention keeps them.", { icon: "history" });
  show(0);
  return element("section", { class: "stack", "aria-label": "Versions", id: "versions" }, element("h3", {}, "Versions"), list,
    versions.length === 1 && notice("", "There is only this version. Earlier ones are kept where the change feed policy has a retention."), more && element("p", { class: "hint" }, "Older ones are not shown."), shown);
}
