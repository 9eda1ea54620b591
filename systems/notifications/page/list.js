// The list: paging, marking as read, dismissing, the unread badge, and events of the stream.

import { call } from "./api.js";
import { announce, byId, element, showError, time } from "./element.js";

const PAGE = 20;
const PATH = "/api/notifications";
let next = null;
// Responses to older requests are dropped.
let requests = 0;
let unread = null;

export function begin() {
  byId("more").addEventListener("click", () => load(false).catch(showError));
  byId("category").addEventListener("change", () => load(true).catch(showError));
  byId("read-all").addEventListener("click", () => readAll().catch(showError));
  return load(true);
}

export async function load(fromTheStart) {
  const number = ++requests;
  const query = new URLSearchParams({ limit: PAGE });
  const category = byId("category").value;
  if (category) query.set("category", category);
  if (!fromTheStart && next) query.set("continuationToken", next);
  const page = await call("GET", `${PATH}?${query}`);
  if (number !== requests) return;
  const list = byId("list");
  const items = page.notifications.map(item);
  const kept = fromTheStart ? [] : [...list.children];
  list.replaceChildren(...kept, ...items.filter((one) => !kept.some((old) => old.id === one.id)));
  next = page.continuationToken ?? null;
  byId("more").hidden = !next;
  if (!fromTheStart) {
    announce(`${items.length} more.`);
    // The focus moves to the first new notification.
    items[0]?.querySelector("button")?.focus();
  }
  updateEmpty();
}

// Handles an event of the stream.
export function react(name, data) {
  if (name === "unread" && typeof data.unreadCount === "number") badge(data.unreadCount);
  if (name === "asked" && data.unreadCount !== unread) countChanged(data.unreadCount);
  if (name === "new") {
    show(data);
    announce(data.title);
  }
  if (name === "updated") show(data);
  if (name === "changed") load(true).catch(showError);
}

// A poll found a count that no event had announced. The list is not reloaded while the focus is in it.
function countChanged(count) {
  badge(count);
  if (!byId("list").contains(document.activeElement)) load(true).catch(showError);
}

function badge(count) {
  unread = count;
  const mark = byId("badge");
  mark.hidden = count === 0;
  mark.textContent = count > 99 ? "99+" : String(count);
  mark.setAttribute("aria-label", `${count} unread`);
  document.title = count === 0 ? "Notifications" : `(${count}) Notifications`;
}

// Shows a notification: in place of its old version, or as the first.
function show(notification) {
  const old = byId(idOf(notification));
  if (notification.dismissed) {
    if (old) remove(old);
    return;
  }
  const category = byId("category").value;
  if (category && category !== notification.category) return;
  if (old) old.replaceWith(withFocus(old, item(notification)));
  else byId("list").prepend(item(notification));
  updateEmpty();
}

// A button that has the focus keeps it in the new version.
function withFocus(old, created) {
  const name = old.contains(document.activeElement) ? document.activeElement.dataset.does : null;
  if (name) {
    queueMicrotask(() => {
      const again = created.querySelector(`[data-does="${name}"]`) ?? created.querySelector("button");
      again?.focus();
    });
  }
  return created;
}

const idOf = (notification) => `notification-${notification.id}`;

function item(notification) {
  const { id, title, body, read, category, createdAt } = notification;
  const heading = `title-${id}`;
  const button = (verb, label) => element("button", {
    type: "button", "data-does": verb, "aria-label": `${label}: ${title}`,
    onclick: () => change(id, verb).catch(showError),
  }, label);
  const buttons = element("div", { class: "buttons" });
  if (!read) buttons.append(button("read", "Mark as read"));
  buttons.append(button("dismiss", "Dismiss"));
  const text = element("div", { class: "text" },
    element("h3", { id: heading }, title),
    element("p", {}, body),
    element("p", { class: "when" }, read ? "" : "Unread. ", category.toLowerCase(), ", ", time(createdAt)));
  return element("li", { id: idOf(notification), class: read ? "" : "unread", "aria-labelledby": heading }, text, buttons);
}

async function change(id, verb) {
  const changed = await call("POST", `${PATH}/${encodeURIComponent(id)}/${verb}`);
  show(changed);
  announce(verb === "read" ? "Marked as read." : "Dismissed.");
}

// If the focus was in the removed notification, it moves to a neighbour.
function remove(old) {
  if (old.contains(document.activeElement)) {
    const neighbour = old.nextElementSibling ?? old.previousElementSibling;
    (neighbour?.querySelector("button") ?? byId("main")).focus();
  }
  old.remove();
  updateEmpty();
}

async function readAll() {
  const { marked } = await call("POST", `${PATH}/read-all`);
  await load(true);
  announce(`${marked} marked as read.`);
}

function updateEmpty() {
  byId("empty").hidden = byId("list").children.length > 0;
}
