// One notification as it is shown: who, what, when, and its two actions.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { icon } from "/_kit/icon.js";
import { timeAgo } from "/_kit/time.js";

const ICONS = {
  POST_LIKE: "heart", POST_COMMENT: "comment", POST_SHARE: "share", COMMENT_REPLY: "comment", FOLLOWER_NEW: "users",
  SAFETY_CONTENT_FLAGGED: "shield", SAFETY_ACCOUNT_WARNING: "warning", SECURITY_NEW_DEVICE: "device", SECURITY_PASSWORD_CHANGED: "lock",
  SECURITY_ACCOUNT_LOCKED: "lock", NEWS_SYSTEM_UPDATE: "news", MARKETING_PROMOTION: "offer",
};
export const CATEGORIES = { SOCIAL: "Social", SAFETY: "Safety", SECURITY: "Security", NEWS: "News", MARKETING: "Offers" };
// A deep link comes from data. It must never run script here.
const REFUSED_LINK = /^\s*(javascript|data|vbscript):/i;

export const idOf = (notification) => `notification-${notification.id}`;

// `act(notification, verb)` is called with "read", "dismiss" or "open".
export function itemNode(notification, act) {
  const { title, body, deeplink, read, category, createdAt, pushed, count, eventType } = notification;
  const link = REFUSED_LINK.test(deeplink) ? "#" : deeplink;
  const does = (verb, label, name) => button(`${label}: ${title}`, { icon: name, onlyIcon: true, kind: "quiet", "data-does": verb, onclick: () => act(notification, verb) });
  const node = element("li", { id: idOf(notification), class: `notification${read ? "" : " unread"}` },
    face(notification),
    element("div", {},
      element("h3", {}, element("a", { class: "title", href: link, "data-does": "open", onclick: () => act(notification, "open") }, title)),
      body && element("p", { class: "body" }, body),
      element("p", { class: "about" },
        read ? null : element("span", { class: "visually-hidden" }, "Unread."),
        timeAgo(createdAt), element("span", {}, CATEGORIES[category] ?? category),
        (count ?? 1) > 1 && element("span", {}, `${count} events`),
        pushed && element("span", {}, icon("device"), " pushed"))),
    element("div", { class: "buttons" }, read ? null : does("read", "Mark as read", "check"), does("dismiss", "Dismiss", "close")));
  node.dataset.at = createdAt;
  node.dataset.kind = eventType;
  return node;
}

// Initials of the first actor with the kind of event; only the kind where nobody acted.
function face({ actorName, eventType, category }) {
  const kind = icon(ICONS[eventType] ?? "bell");
  if (!actorName) return element("div", { class: `face ${category === "SOCIAL" || category === "NEWS" ? "s1" : "alarm"}`, "aria-hidden": "true" }, kind);
  const words = actorName.trim().split(/\s+/);
  const initials = (words[0][0] + (words.length > 1 ? words.at(-1)[0] : "")).toUpperCase();
  const tone = [...actorName].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6;
  return element("div", { class: `face s${tone + 1}`, "aria-hidden": "true" }, initials, element("span", { class: "kind" }, kind));
}
