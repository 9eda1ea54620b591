// The messages of one room: history page by page, new messages, receipts, and those that wait in the outbox. Owns the list
// and its scroll position. Does not own the connection.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { emptyState, errorState, loadingState, toast } from "/_kit/feedback.js";
import { call } from "/_kit/session.js";
import { dayNode, lookOf, messageNode } from "./message.js";

const PAGE = 30;
// Messages of one sender within this time are one group.
const GROUP_MS = 5 * 60_000;
const BOTTOM_PX = 60;
// Pages that a jump to an old message loads at the most.
const JUMP_PAGES = 20;
const JUMP_PAGE = 100;

// Messages in the order of the service: by time, and by id where the time is the same.
const inOrder = (one, other) => {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
};

// `given`: { me, can, box, nameOf, know, resend, discard, reply, edit, remove, onread(id), onbottom() }.
export function conversation(given) {
  const top = element("div", { class: "history-state" });
  const list = element("ol", { class: "messages", id: "messages" });
  const state = element("div", { class: "fill" });
  const scroll = element("div", { class: "scroll", id: "scroll", role: "region", "aria-label": "Messages", tabindex: "0" }, top, list, state);
  const live = element("div", { class: "visually-hidden", id: "announced", role: "log", "aria-live": "polite", "aria-label": "New messages" });
  const newer = button("New messages", { icon: "down", kind: "primary newer", hidden: true, onclick: () => toBottom() });
  const node = element("div", { class: "conversation" }, scroll, newer, live);
  const messages = new Map();
  // Messages that others answer and that are not in the list; null for those that are gone.
  const elsewhere = new Map();
  const drawn = new Map();
  const asked = new Set();
  const inView = new Set();
  let room = null;
  let isWhole = false;
  let loading = null;
  // Changes that came while a page was on its way, which may have been read before them.
  let pagesOnTheWay = 0;
  const lateChanges = [];

  const answered = (id) => {
    if (messages.has(id)) return messages.get(id);
    if (elsewhere.has(id)) return elsewhere.get(id);
    elsewhere.set(id, undefined);
    const asking = room;
    call("GET", `/api/messages/${encodeURIComponent(id)}?room=${encodeURIComponent(room)}`).catch(() => null).then((found) => {
      if (asking !== room) return;
      elsewhere.set(id, found);
      render();
    });
    return undefined;
  };
  const about = { ...given, answered, jump: (message) => jump(message.id) };

  const isAtBottom = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < BOTTOM_PX;
  const toBottom = () => { scroll.scrollTop = scroll.scrollHeight; };

  const readInView = () => {
    if (document.visibilityState !== "visible") return;
    for (const id of inView) {
      const message = messages.get(id);
      const isUnread = message && message.fromUserName !== about.me && !message.readBy.includes(about.me);
      if (!isUnread || asked.has(id)) continue;
      asked.add(id);
      about.onread(id);
    }
  };
  const eye = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inView.add(target.dataset.id);
      else inView.delete(target.dataset.id);
    }
    readInView();
  }, { root: scroll });

  const reuse = (key, look, make) => {
    const known = drawn.get(key);
    if (known?.look === look) return known.node;
    const made = make();
    if (known) eye.unobserve(known.node);
    drawn.set(key, { look, node: made });
    if (made.dataset.id) eye.observe(made);
    return made;
  };

  // The entries in their order, with a line before each day.
  const wanted = () => {
    const stored = [...messages.values()].sort(inOrder);
    const waiting = about.box.of(room).map((entry) => ({ ...entry, fromUserName: about.me, readBy: [] }));
    const nodes = [];
    const all = [...stored, ...waiting];
    const isApart = (one, other) => one?.fromUserName !== other?.fromUserName || new Date(other.timestamp) - new Date(one.timestamp) > GROUP_MS;
    let before = null;
    for (const [at, message] of all.entries()) {
      const day = new Date(message.timestamp).toDateString();
      if (before === null || new Date(before.timestamp).toDateString() !== day) {
        nodes.push(reuse(`day ${day}`, day, () => dayNode(message.timestamp)));
        before = null;
      }
      const place = { isFirst: isApart(before, message), isLast: isApart(message, all[at + 1]) };
      const key = message.id ?? `waiting ${message.correlationId}`;
      const look = lookOf([message, message.readBy.map(about.nameOf), message.replyTo && (answered(message.replyTo) ?? String(answered(message.replyTo)))], place);
      nodes.push(reuse(key, look, () => messageNode(message, place, about)));
      before = message;
    }
    return nodes;
  };

  // Brings the list up to date; entries that stay are not touched, so that focus and selection stay.
  const render = ({ follow = isAtBottom() } = {}) => {
    const below = scroll.scrollHeight - scroll.scrollTop;
    const nodes = wanted();
    const kept = new Set(nodes);
    for (const child of [...list.children]) if (!kept.has(child)) child.remove();
    nodes.forEach((child, at) => { if (list.children[at] !== child) list.insertBefore(child, list.children[at] ?? null); });
    for (const [key, { node: known }] of drawn) if (!kept.has(known)) { eye.unobserve(known); drawn.delete(key); }
    state.hidden = nodes.length > 0;
    rove();
    if (follow) toBottom();
    return below;
  };

  // One of the buttons of all messages can be reached by Tab: the one used last, or that of the newest message.
  const buttons = () => [...list.querySelectorAll(".message-actions")];
  const rove = (to = document.activeElement) => {
    const all = buttons();
    const chosen = all.includes(to) ? to : all.at(-1);
    for (const one of all) one.tabIndex = one === chosen ? 0 : -1;
  };
  list.addEventListener("focusin", ({ target }) => { if (target.matches(".message-actions")) rove(target); });
  list.addEventListener("keydown", (event) => {
    if (!event.target.matches(".message-actions") || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    const all = buttons();
    all[all.indexOf(event.target) + (event.key === "ArrowUp" ? -1 : 1)]?.focus();
  });

  const history = async (oldest = null, take = PAGE) => {
    const before = oldest && { before: oldest.timestamp, beforeId: oldest.id };
    const query = new URLSearchParams({ take: String(take), ...before });
    const missed = lateChanges.length;
    pagesOnTheWay += 1;
    try {
      const page = await call("GET", `/api/messages/room/${encodeURIComponent(room)}?${query}`);
      for (const { fromUserName, fromFullName } of page) about.know(fromUserName, fromFullName);
      return { page: lateChanges.slice(missed).reduce(changed, page), isLast: page.length < take };
    } finally {
      pagesOnTheWay -= 1;
      if (pagesOnTheWay === 0) lateChanges.length = 0;
    }
  };
  // A page after a change of one message; null takes it away.
  const changed = (page, { id, change }) => page.map((message) => message.id === id ? change(message) : message).filter(Boolean);
  // Changes a message here and in the pages that are on their way.
  const apply = (id, change) => {
    if (pagesOnTheWay > 0) lateChanges.push({ id, change });
    if (!messages.has(id)) return;
    const after = change(messages.get(id));
    if (after === null) messages.delete(id);
    else messages.set(id, after);
  };
  const oldest = () => [...messages.values()].reduce((least, one) => least === null || inOrder(one, least) < 0 ? one : least, null);

  // One page at a time: whoever asks meanwhile waits for the same one.
  const loadOlder = (take = PAGE) => {
    loading ??= loadPage(take).finally(() => { loading = null; });
    return loading;
  };
  const loadPage = async (take) => {
    if (isWhole || messages.size === 0) return;
    const asking = room;
    top.replaceChildren(element("span", { class: "spinner" }), element("span", { role: "status" }, "Loading older messages"));
    try {
      const { page, isLast } = await history(oldest(), take);
      if (asking !== room) return;
      isWhole = isLast;
      for (const message of page) messages.set(message.id, message);
      top.replaceChildren(isWhole ? element("span", {}, `This is the beginning of ${room}.`) : "");
      const below = render({ follow: false });
      // What was read stays where it was; the older ones are above.
      scroll.scrollTop = scroll.scrollHeight - below;
    } catch (error) {
      if (asking === room) top.replaceChildren(element("span", { class: "problem", role: "alert" }, error.message), button("Try again", { onclick: () => loadOlder() }));
    }
  };

  // The newest page; also after a connection was lost, when messages may be missing.
  const refresh = async () => {
    const asking = room;
    const follow = messages.size === 0 || isAtBottom();
    try {
      const { page, isLast } = await history();
      if (asking !== room) return;
      const isJoined = isLast || page.some(({ id }) => messages.has(id));
      // With a gap between what is shown and what is new, the list begins anew.
      if (!isJoined) { messages.clear(); isWhole = false; }
      for (const message of page) messages.set(message.id, message);
      if (isLast) isWhole = true;
      for (const { correlationId } of page.filter(({ fromUserName }) => fromUserName === about.me)) if (correlationId) about.box.remove(correlationId);
      top.replaceChildren(isWhole && messages.size > 0 ? element("span", {}, `This is the beginning of ${room}.`) : "");
      state.replaceChildren(emptyState("No messages yet", "Write the first one.", { icon: "comment" }));
      render({ follow });
      if (follow && document.visibilityState === "visible") about.onbottom();
    } catch (error) {
      if (asking === room && messages.size === 0) state.replaceChildren(errorState(error, refresh));
    }
  };

  // Shows a message, which may be far back.
  const jump = async (id) => {
    const asking = room;
    for (let pages = 0; !messages.has(id) && !isWhole && pages < JUMP_PAGES; pages += 1) {
      const before = messages.size;
      await loadOlder(JUMP_PAGE);
      if (asking !== room) return;
      // A failure is shown above the list.
      if (messages.size === before && !isWhole) return;
    }
    const node = list.querySelector(`[data-id="${CSS.escape(id)}"]`);
    if (!node) {
      toast(messages.has(id) || !isWhole ? "The message is too far back to be shown here." : "The message is not there any more.");
      return;
    }
    node.scrollIntoView({ block: "center" });
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
    node.classList.add("found");
    setTimeout(() => node.classList.remove("found"), 2_500);
  };

  const open = async (name) => {
    room = name;
    isWhole = false;
    messages.clear();
    elsewhere.clear();
    asked.clear();
    inView.clear();
    live.replaceChildren();
    newer.hidden = true;
    top.replaceChildren();
    state.replaceChildren(loadingState(`Loading ${name}`));
    render();
    await refresh();
  };

  const say = (message) => {
    live.append(element("p", {}, `${message.fromFullName ?? message.fromUserName}: ${message.content}`));
    while (live.childElementCount > 5) live.firstElementChild.remove();
  };

  // A message that came now. Returns whether the person sees it.
  const add = (message) => {
    const isNew = !messages.has(message.id);
    const isMine = message.fromUserName === about.me;
    const follow = isMine || isAtBottom();
    messages.set(message.id, message);
    render({ follow });
    if (isNew && !isMine) {
      say(message);
      newer.hidden = follow;
    }
    return !isNew || isMine || (follow && document.visibilityState === "visible");
  };

  scroll.addEventListener("scroll", () => {
    if (scroll.scrollTop < 200) loadOlder();
    if (!isAtBottom()) return;
    if (!newer.hidden) about.onbottom();
    newer.hidden = true;
  });
  document.addEventListener("visibilitychange", () => {
    readInView();
    if (document.visibilityState === "visible" && room !== null && isAtBottom()) about.onbottom();
  });
  // A smaller window, such as with the keyboard of a phone, still shows the newest message.
  let wasAtBottom = true;
  scroll.addEventListener("scroll", () => { wasAtBottom = isAtBottom(); });
  new ResizeObserver(() => { if (wasAtBottom) toBottom(); }).observe(scroll);

  return {
    node, open, refresh, render, add, toBottom, jump,
    change(message) {
      if (elsewhere.has(message.id)) elsewhere.set(message.id, message);
      apply(message.id, () => message);
      render();
    },
    // A deleted message leaves a tombstone, or nothing.
    remove(id) {
      if (elsewhere.has(id)) elsewhere.set(id, null);
      apply(id, (message) => about.can.editMessages ? { ...message, content: "", isDeleted: true } : null);
      render();
    },
    // The newest message of this person that can be edited.
    lastOwn: () => [...messages.values()].sort(inOrder).findLast(({ fromUserName, isDeleted }) => fromUserName === about.me && !isDeleted),
    read(id, readBy) {
      apply(id, (message) => ({ ...message, readBy }));
      render();
    },
    // A receipt that did not arrive is tried again when the message comes into view, or with `readInView`.
    unask: (id) => asked.delete(id),
    readInView,
  };
}
