// The form that sends an event, for callers with the role `service`.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { toast } from "/_kit/feedback.js";
import { schemaForm } from "/_kit/form.js";
import { call } from "/_kit/session.js";

const TYPES = [
  ["POST_LIKE", "Liked a post", "post"], ["POST_COMMENT", "Commented on a post", "post"], ["POST_SHARE", "Shared a post", "post"],
  ["COMMENT_REPLY", "Replied to a comment", "comment"], ["FOLLOWER_NEW", "Follows", "user"], ["SAFETY_CONTENT_FLAGGED", "Content was flagged", "post"],
  ["SAFETY_ACCOUNT_WARNING", "Account warning", "user"], ["SECURITY_NEW_DEVICE", "New device signed in", "user"],
  ["SECURITY_PASSWORD_CHANGED", "Password changed", "user"], ["SECURITY_ACCOUNT_LOCKED", "Account locked", "user"],
  ["NEWS_SYSTEM_UPDATE", "News about the system", "post"], ["MARKETING_PROMOTION", "An offer", "post"],
];

export function begin(panel, person) {
  const made = schemaForm({
    required: ["userId", "eventType", "targetId"],
    properties: {
      userId: { title: "To", type: "string", description: "The id of the user to notify." },
      eventType: { title: "What happened", enum: TYPES.map(([type]) => type), titles: Object.fromEntries(TYPES) },
      actorName: { title: "Who did it", type: "string" },
      targetId: { title: "About what", type: "string", description: "The id of the post, comment or user." },
      snippet: { title: "A few words", type: "string" },
    },
  }, { userId: person.subject });
  const form = element("form", { class: "card stack", id: "send-form", novalidate: true }, made.node,
    element("div", { class: "row" }, button("Send", { kind: "primary", type: "submit", icon: "send" })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = made.read();
    if (value) send(value, made);
  });
  panel.replaceChildren(element("h1", {}, "Send an event"), element("p", { class: "soft" }, "What another service would send. The dispatcher turns it into a notification and pushes."), form);
}

async function send({ userId, eventType, ...rest }, made) {
  const [, , targetType] = TYPES.find(([type]) => type === eventType);
  const { actorName } = rest;
  try {
    await call("POST", "/api/notifications/send", { userId, eventType, payload: { actorId: actorName?.toLowerCase(), targetType, ...rest } });
    toast("Sent.");
  } catch (error) {
    for (const { field, message } of error.fields ?? []) made.showProblem(field.replace("payload.", ""), message);
    if (!error.fields?.length && error.status !== 401) toast(error.message, { isBad: true });
  }
}
