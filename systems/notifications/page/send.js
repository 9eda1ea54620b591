// The form that sends an event, for callers with the role `service`.

import { call } from "./api.js";
import { announce, byId, element, showError } from "./element.js";

const TYPES = [
  ["POST_LIKE", "Liked a post", "post"],
  ["POST_COMMENT", "Commented on a post", "post"],
  ["POST_SHARE", "Shared a post", "post"],
  ["COMMENT_REPLY", "Replied to a comment", "comment"],
  ["FOLLOWER_NEW", "Follows", "user"],
  ["SAFETY_CONTENT_FLAGGED", "Content was flagged", "post"],
  ["SAFETY_ACCOUNT_WARNING", "Account warning", "user"],
  ["SECURITY_NEW_DEVICE", "New device signed in", "user"],
  ["SECURITY_PASSWORD_CHANGED", "Password changed", "user"],
  ["SECURITY_ACCOUNT_LOCKED", "Account locked", "user"],
  ["NEWS_SYSTEM_UPDATE", "News about the system", "post"],
  ["MARKETING_PROMOTION", "An offer", "post"],
];

export function begin(subject) {
  const form = byId("send-form");
  form.elements.userId.value = subject;
  form.elements.eventType.replaceChildren(...TYPES.map(([value, label]) => element("option", { value }, label)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form).catch(showError);
  });
}

async function send(form) {
  const text = (name) => form.elements[name].value.trim() || undefined;
  const eventType = form.elements.eventType.value;
  const [, , targetType] = TYPES.find(([type]) => type === eventType);
  const actorName = text("actorName");
  await call("POST", "/api/notifications/send", {
    userId: text("userId"),
    eventType,
    payload: { actorId: actorName?.toLowerCase(), actorName, targetId: text("targetId"), targetType, snippet: text("snippet") },
  });
  announce("Sent.");
}
