// One message as an entry of the list, and the line between two days.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { icon } from "/_kit/icon.js";
import { dayText, exactText } from "/_kit/time.js";
import { face } from "./people.js";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

// The entries of a list are kept while their look stays the same; this text is the look.
export const lookOf = (message, place) => JSON.stringify([message, place]);

// In a group the last message has its receipt in words; of the others the sign is enough to see.
function receipt(message, isLast, nameOf) {
  const words = (text) => element("span", { class: isLast ? "" : "visually-hidden" }, text);
  const readers = message.readBy.filter((reader) => reader !== message.fromUserName);
  if (readers.length === 0) return element("span", { class: "receipt", "data-receipt": "sent" }, icon("check"), words("Sent"));
  const text = readers.length > 2 ? `Read by ${readers.length}` : `Read by ${readers.map(nameOf).join(" and ")}`;
  return element("span", { class: "receipt read", "data-receipt": "read", title: text }, icon("eye"), words(text));
}

function outgoing(message, { resend, discard }) {
  if (message.problem === null) return element("span", { class: "receipt", "data-receipt": "pending" }, icon("clock"), "Waiting to be sent");
  return element("span", { class: "row refused", "data-receipt": "refused" },
    element("span", { class: "problem" }, `Not sent: ${message.problem}`),
    button("Send again", { kind: "quiet", icon: "refresh", onclick: () => resend(message.correlationId) }),
    button("Discard", { kind: "quiet", icon: "trash", onclick: () => discard(message.correlationId) }));
}

// `about`: { me, nameOf, resend, discard }. `isFirst` and `isLast`: its place among messages of the same sender.
export function messageNode(message, { isFirst, isLast }, about) {
  const isMine = message.fromUserName === about.me;
  const isPending = message.id === undefined;
  const name = isMine ? "You" : message.fromFullName ?? message.fromUserName;
  const time = element("time", { class: "faint", datetime: message.timestamp, title: exactText(message.timestamp) }, clock.format(new Date(message.timestamp)));
  // The name stands once above a group; a screen reader hears it with each message.
  const head = element("p", { class: isFirst ? "message-head" : "visually-hidden" }, element("span", { class: "strong" }, name), " ", isFirst && time);
  const text = message.isDeleted ? element("p", { class: "message-text faint" }, "This message was deleted.")
    : element("p", { class: "message-text", dir: "auto" }, message.content);
  const foot = element("p", { class: "message-foot" }, message.editedAt && element("span", { class: "faint" }, "edited"),
    isPending ? outgoing(message, about) : isMine && receipt(message, isLast, about.nameOf));
  const isCompact = isMine && !isPending && !isLast && !message.editedAt;
  return element("li", {
    class: `message${isMine ? " mine" : ""}${isFirst ? " first" : ""}${isPending ? " pending" : ""}${isCompact ? " compact" : ""}`,
    "data-id": message.id, "data-correlation": message.correlationId,
  }, isFirst && !isMine ? face(message.fromUserName, message.fromFullName) : element("span", { class: "no-face" }),
  element("div", { class: "bubble" }, head, text, foot.hasChildNodes() && foot));
}

export const dayNode = (time) => element("li", { class: "day" }, element("span", {}, dayText(time)));
