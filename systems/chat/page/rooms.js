// The list of rooms with their unread counts, and the title of the window, which counts them all.

import { element, integerText } from "/_kit/element.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";

const POLL_MS = 15_000;
const nav = element("nav", { class: "nav rooms", "aria-label": "Rooms" });
const unread = new Map();
const links = new Map();
let current = null;
// Off when the service counts nothing (the setting Features:UnreadCounts).
let isCounted = false;
let timer = 0;

export const node = nav;
export const names = () => [...links.keys()];

export async function load(options) {
  ({ isCounted } = options);
  const rooms = await call("GET", "/api/rooms");
  links.clear();
  for (const { name } of rooms) {
    const badge = element("span", { class: "badge push", hidden: true });
    const link = element("a", { class: "nav-link", href: addressOf(name), "data-room": name },
      element("span", { class: "hash", "aria-hidden": "true" }, "#"), element("span", { class: "truncate" }, name), badge);
    links.set(name, { link, badge });
  }
  nav.replaceChildren(...[...links.values()].map(({ link }) => link));
  clearInterval(timer);
  if (isCounted) timer = setInterval(count, POLL_MS);
  await count();
}

// Asks for the counts of the other rooms; those of the open room are counted here, as messages come.
export async function count() {
  if (!isCounted) return;
  try {
    for (const { room, unread: found } of await call("GET", "/api/rooms/unread")) {
      if (room !== current) unread.set(room, found);
    }
    show();
  } catch {
    // The next look finds out.
  }
}

export function mark(room) {
  current = room;
  for (const [name, { link }] of links) {
    if (name === room) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  links.get(room)?.link.scrollIntoView({ block: "nearest", inline: "nearest" });
  show();
}

// A message came that nobody looked at.
export function add(room) {
  unread.set(room, (unread.get(room) ?? 0) + 1);
  show();
}

// The person has seen the room.
export function seen(room) {
  unread.set(room, 0);
  show();
  if (isCounted) call("POST", `/api/rooms/${encodeURIComponent(room)}/seen`).catch(() => {});
}

function show() {
  let total = 0;
  for (const [name, { link, badge }] of links) {
    const found = unread.get(name) ?? 0;
    total += found;
    badge.hidden = found === 0;
    badge.textContent = found > 99 ? "99+" : integerText(found);
    if (found > 0) link.setAttribute("aria-label", `${name}, ${found} unread`);
    else link.removeAttribute("aria-label");
  }
  const place = current ? `${current} · Chat` : "Chat";
  document.title = total > 0 ? `(${total > 99 ? "99+" : total}) ${place}` : place;
}
