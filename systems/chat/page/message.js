// One message as an entry of the list, and the line between two days.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { menuButton } from "/_kit/feedback.js";
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

// What a person can do with a message; nothing with one that is not stored, or not any more.
function actions(message, isMine, { can, reply, edit, remove }) {
  if (message.id === undefined || message.isDeleted) return null;
  const items = [
    can.replyTo && { label: "Reply", icon: "reply", run: () => reply(message) },
    can.editMessages && isMine && { label: "Edit", icon: "edit", run: () => edit(message) },
    isMine && { label: "Delete", icon: "trash", isDanger: true, run: () => remove(message) },
  ].filter(Boolean);
  const time = clock.format(new Date(message.timestamp));
  const label = isMine ? `Actions for your message of ${time}` : `Actions for the message of ${message.fromFullName ?? message.fromUserName}, ${time}`;
  return items.length > 0 && menuButton(label, items, { kind: "quiet message-actions", title: "Actions" });
}

// The message that this one answers. It may be older than what is shown; then `answered` brings it.
function quote(message, { answered, nameOf, jump }) {
  if (!message.replyTo || message.isDeleted) return null;
  const other = answered(message.replyTo);
  const text = other === undefined ? "Loading…" : other === null ? "A message that is not there any more"
    : other.isDeleted ? "A message that was deleted" : other.content;
  return element("button", { type: "button", class: "quote", disabled: !other, onclick: () => jump(other) },
    element("span", { class: "visually-hidden" }, "Answers "),
    other && element("span", { class: "strong truncate" }, other.fromFullName ?? nameOf(other.fromUserName)), element("span", { class: "truncate" }, text));
}

// `about`: { me, can, nameOf, resend, discard, reply, edit, remove, answered, jump }. `isFirst` and `isLast`: its place among messages of the same sender.
export function messageNode(message, { isFirst, isLast }, about) {
  const isMine = message.fromUserName === about.me;
  const isPending = message.id === undefined;
  const name = isMine ? "You" : message.fromFullName ?? message.fromUserName;
  const time = element("time", { class: "faint", datetime: message.timestamp, title: exactText(message.timestamp) }, clock.format(new Date(message.timestamp)));
  // The name stands once above a group; a screen reader hears it with each message.
  const head = element("p", { class: isFirst ? "message-head" : "visually-hidden" }, element("span", { class: "strong" }, name), " ", isFirst && time);
  const text = message.isDeleted ? element("p", { class: "message-text faint" }, "This message was deleted.")
    : element("p", { class: "message-text", dir: "auto" }, message.content);
  const foot = element("p", { class: "message-foot" }, message.editedAt && !message.isDeleted && element("span", { class: "faint" }, "edited"),
    isPending ? outgoing(message, about) : isMine && !message.isDeleted && receipt(message, isLast, about.nameOf));
  const isCompact = isMine && !isPending && !isLast && !message.editedAt && !message.replyTo;
  return element("li", {
    class: `message${isMine ? " mine" : ""}${isFirst ? " first" : ""}${isPending ? " pending" : ""}${isCompact ? " compact" : ""}`,
    "data-id": message.id, "data-correlation": message.correlationId,
  }, isFirst && !isMine ? face(message.fromUserName, message.fromFullName) : element("span", { class: "no-face" }),
  element("div", { class: "bubble-line" }, element("div", { class: "bubble" }, head, quote(message, about), text, foot.hasChildNodes() && foot),
    actions(message, isMine, about)));
}

export const dayNode = (time) => element("li", { class: "day" }, element("span", {}, dayText(time)));
