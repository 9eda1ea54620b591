// The list: pages, reading, putting away, the badge, and what the stream tells.

import { call } from "./api.js";
import { byId, element, say, tell, time } from "./element.js";

const PAGE = 20;
const PATH = "/api/notifications";
let next = null;
// Answers of an older question are dropped.
let asked = 0;
let unread = null;

export function begin() {
  byId("more").addEventListener("click", () => load(false).catch(tell));
  byId("category").addEventListener("change", () => load(true).catch(tell));
  byId("read-all").addEventListener("click", () => readAll().catch(tell));
  return load(true);
}

export async function load(fromTheStart) {
  const number = ++asked;
  const query = new URLSearchParams({ limit: PAGE });
  const category = byId("category").value;
  if (category) query.set("category", category);
  if (!fromTheStart && next) query.set("continuationToken", next);
  const page = await call("GET", `${PATH}?${query}`);
  if (number !== asked) return;
  const list = byId("list");
  const items = page.notifications.map(item);
  const kept = fromTheStart ? [] : [...list.children];
  list.replaceChildren(...kept, ...items.filter((one) => !kept.some((old) => old.id === one.id)));
  next = page.continuationToken ?? null;
  byId("more").hidden = !next;
  if (!fromTheStart) {
    say(`${items.length} more.`);
    // The reader goes on where the new ones begin.
    items[0]?.querySelector("button")?.focus();
  }
  shown();
}

// News of the stream.
export function react(name, data) {
  if (name === "unread" && typeof data.unreadCount === "number") badge(data.unreadCount);
  if (name === "asked" && data.unreadCount !== unread) missed(data.unreadCount);
  if (name === "new") {
    put(data);
    say(data.title);
  }
  if (name === "updated") put(data);
  if (name === "changed") load(true).catch(tell);
}

// Something happened that no stream told. A reader who is in the list keeps their place.
function missed(count) {
  badge(count);
  if (!byId("list").contains(document.activeElement)) load(true).catch(tell);
}

function badge(count) {
  unread = count;
  const mark = byId("badge");
  mark.hidden = count === 0;
  mark.textContent = count > 99 ? "99+" : String(count);
  mark.setAttribute("aria-label", `${count} unread`);
  document.title = count === 0 ? "Notifications" : `(${count}) Notifications`;
}

// Puts a notification where it belongs: in the place of its old version, or first.
function put(notification) {
  const old = byId(idOf(notification));
  if (notification.dismissed) {
    if (old) remove(old);
    return;
  }
  const category = byId("category").value;
  if (category && category !== notification.category) return;
  if (old) old.replaceWith(withFocus(old, item(notification)));
  else byId("list").prepend(item(notification));
  shown();
}

// A button that has the focus keeps it in the new version.
function withFocus(old, made) {
  const name = old.contains(document.activeElement) ? document.activeElement.dataset.does : null;
  if (name) {
    queueMicrotask(() => {
      const again = made.querySelector(`[data-does="${name}"]`) ?? made.querySelector("button");
      again?.focus();
    });
  }
  return made;
}

const idOf = (notification) => `notification-${notification.id}`;

function item(notification) {
  const { id, title, body, read, category, createdAt } = notification;
  const heading = `title-${id}`;
  const does = (verb, words) => element("button", {
    type: "button", "data-does": verb, "aria-label": `${words}: ${title}`,
    onclick: () => change(id, verb).catch(tell),
  }, words);
  const buttons = element("div", { class: "buttons" });
  if (!read) buttons.append(does("read", "Mark as read"));
  buttons.append(does("dismiss", "Dismiss"));
  const text = element("div", { class: "text" },
    element("h3", { id: heading }, title),
    element("p", {}, body),
    element("p", { class: "when" }, read ? "" : "Unread. ", category.toLowerCase(), ", ", time(createdAt)));
  return element("li", { id: idOf(notification), class: read ? "" : "unread", "aria-labelledby": heading }, text, buttons);
}

async function change(id, verb) {
  const changed = await call("POST", `${PATH}/${encodeURIComponent(id)}/${verb}`);
  put(changed);
  say(verb === "read" ? "Marked as read." : "Dismissed.");
}

// The focus goes to a neighbour, never to nowhere.
function remove(old) {
  if (old.contains(document.activeElement)) {
    const neighbour = old.nextElementSibling ?? old.previousElementSibling;
    (neighbour?.querySelector("button") ?? byId("main")).focus();
  }
  old.remove();
  shown();
}

async function readAll() {
  const { marked } = await call("POST", `${PATH}/read-all`);
  await load(true);
  say(`${marked} marked as read.`);
}

function shown() {
  byId("empty").hidden = byId("list").children.length > 0;
}
