// The list: days, paging, marking as read, dismissing with undo, the unread badge, and events of the stream.

import { button } from "/_kit/control.js";
import { byId, element } from "/_kit/element.js";
import { emptyState, errorState, loadingState, toast } from "/_kit/feedback.js";
import { call } from "/_kit/session.js";
import { dayText } from "/_kit/time.js";
import { CATEGORIES, idOf, itemNode } from "./item.js";

const PAGE = 20;
const PATH = "/api/notifications";
const SAID_MS = 6_000;
const days = element("div", { id: "list", "aria-label": "Notifications, newest first", role: "region" });
const state = element("div", { id: "list-state" });
const more = button("Show more", { id: "more", hidden: true, onclick: () => guarded(load(false)) });
const readAll = button("Mark all as read", { id: "read-all", icon: "check", onclick: () => guarded(markAll()) });
const chips = element("div", { class: "chips", role: "group", "aria-label": "Category" });
let outlets = null;
let category = "";
let next = null;
// Responses to older requests are dropped.
let requests = 0;
let unread = null;
let quiet = 0;

export function connect(given) {
  outlets = given;
}

export function begin(panel) {
  for (const [value, label] of [["", "All"], ...Object.entries(CATEGORIES)]) {
    chips.append(button(label, { "aria-pressed": String(value === ""), "data-category": value, onclick: () => choose(value) }));
  }
  panel.replaceChildren(
    element("div", { class: "row apart" }, element("h1", {}, "Notifications"), readAll),
    chips, days, state, element("div", { class: "row" }, more));
  days.addEventListener("keydown", keys);
  return load(true);
}

function choose(value) {
  category = value;
  for (const chip of chips.children) chip.setAttribute("aria-pressed", String(chip.dataset.category === value));
  readAll.lastChild.textContent = value ? `Mark ${CATEGORIES[value].toLowerCase()} as read` : "Mark all as read";
  guarded(load(true));
}

const guarded = (promise) => promise.catch((error) => {
  if (error.status !== 401) toast(error.message, { isBad: true });
});
const items = () => [...days.querySelectorAll("li")];

export async function load(fromTheStart) {
  const number = ++requests;
  const query = new URLSearchParams({ limit: PAGE });
  if (category) query.set("category", category);
  if (!fromTheStart && next) query.set("continuationToken", next);
  const waiting = setTimeout(() => { if (items().length === 0) state.replaceChildren(loadingState("Loading notifications")); }, 120);
  let page;
  try {
    page = await call("GET", `${PATH}?${query}`);
  } catch (error) {
    if (number === requests && error.status !== 401) state.replaceChildren(errorState(error, () => guarded(load(fromTheStart))));
    throw error;
  } finally {
    clearTimeout(waiting);
  }
  if (number !== requests) return;
  if (fromTheStart) days.replaceChildren();
  const made = page.notifications.map((one) => byId(idOf(one)) ?? insert(itemNode(one, act)));
  next = page.continuationToken ?? null;
  more.hidden = !next;
  // The focus moves to the first new notification.
  if (!fromTheStart) made[0]?.querySelector("a")?.focus();
  updateEmpty();
}

// Puts an item where its time belongs: days newest first, items newest first.
function insert(node) {
  const day = dayText(node.dataset.at);
  let section = [...days.children].find((one) => one.dataset.day === day);
  if (!section) {
    const title = element("h2", {}, day);
    section = element("section", { class: "day", "data-day": day }, title, element("ol", {}));
    section.dataset.at = node.dataset.at.slice(0, 10);
    const older = [...days.children].find((one) => one.dataset.at < section.dataset.at);
    days.insertBefore(section, older ?? null);
  }
  const rows = section.lastElementChild;
  const older = [...rows.children].find((one) => one.dataset.at < node.dataset.at);
  rows.insertBefore(node, older ?? null);
  return node;
}

// Handles an event of the stream.
export function react(name, data) {
  if (name === "unread" && typeof data.unreadCount === "number") setBadge(data.unreadCount);
  if (name === "asked" && data.unreadCount !== unread) countChanged(data.unreadCount);
  if (name === "new") {
    show(data);
    say(data.title);
  }
  if (name === "updated") show(data);
  if (name === "changed") guarded(load(true));
}

function say(text) {
  clearTimeout(quiet);
  outlets.said.textContent = text;
  quiet = setTimeout(() => { outlets.said.textContent = ""; }, SAID_MS);
}

// A poll found a count that no event had announced. The list is not reloaded while the focus is in it.
function countChanged(count) {
  setBadge(count);
  if (!days.contains(document.activeElement)) guarded(load(true));
}

function setBadge(count) {
  unread = count;
  outlets.badge.hidden = count === 0;
  outlets.badge.replaceChildren(count > 99 ? "99+" : String(count), element("span", { class: "visually-hidden" }, " unread"));
  document.title = count === 0 ? "Notifications" : `(${count}) Notifications`;
}

// Shows a notification: in place of its old version, or where its time belongs.
function show(notification) {
  const old = byId(idOf(notification));
  if (notification.dismissed) {
    if (old) remove(old);
    return;
  }
  if (category && category !== notification.category) return;
  const created = itemNode(notification, act);
  if (old) {
    const does = old.contains(document.activeElement) ? document.activeElement.dataset.does : null;
    old.replaceWith(created);
    // A control that has the focus keeps it in the new version.
    if (does) (created.querySelector(`[data-does="${does}"]`) ?? created.querySelector("a")).focus();
  } else {
    insert(created);
  }
  updateEmpty();
}

function act(notification, verb) {
  if (verb !== "open") guarded(change(notification, verb));
  else if (!notification.read) guarded(change(notification, "read"));
}

async function change(notification, verb) {
  const path = `${PATH}/${encodeURIComponent(notification.id)}`;
  show(await call("POST", `${path}/${verb}`));
  if (verb !== "dismiss") return;
  toast("Dismissed.", {
    action: {
      label: "Undo",
      run: () => guarded(call("POST", `${path}/restore`).then((back) => {
        show(back);
        byId(idOf(back))?.querySelector("a").focus();
      })),
    },
  });
}

// If the focus was in the removed notification, it moves to a neighbour.
function remove(old) {
  const all = items();
  const at = all.indexOf(old);
  const hadFocus = old.contains(document.activeElement);
  const day = old.closest(".day");
  old.remove();
  if (day && !day.querySelector("li")) day.remove();
  if (hadFocus) ((all[at + 1] ?? all[at - 1])?.querySelector("a") ?? byId("main")).focus();
  updateEmpty();
}

// Arrow keys move between notifications; R reads and Delete dismisses the one with the focus.
function keys(event) {
  const item = event.target.closest("li");
  if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = items();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    all[all.indexOf(item) + step]?.querySelector("a").focus();
  }
  const verb = { r: "read", R: "read", Delete: "dismiss" }[event.key];
  if (verb) item.querySelector(`[data-does="${verb}"]`)?.click();
}

async function markAll() {
  const query = category ? `?${new URLSearchParams({ category })}` : "";
  const { marked } = await call("POST", `${PATH}/read-all${query}`);
  await load(true);
  toast(marked === 0 ? "Nothing was unread." : `${marked} marked as read.`);
}

function updateEmpty() {
  const isEmpty = items().length === 0;
  state.replaceChildren(...(isEmpty ? [category
    ? emptyState(`Nothing in ${CATEGORIES[category]}`, "Choose another category to see the rest.", { icon: "inbox" })
    : emptyState("You have seen everything", "New notifications appear here by themselves.", { icon: "inbox" })] : []));
}
