// The page: the session, the connection to the hub, the open room, and sending what is in the outbox.

import { button, schemeButton } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { confirmDialog, emptyState, notice, toast } from "/_kit/feedback.js";
import { addressOf, addressParts, frame } from "/_kit/frame.js";
import { call as request, checkSession, headers, onSessionEnd, session, signOut } from "/_kit/session.js";
import * as signIn from "/_kit/sign_in.js";
import { callQueue } from "./calls.js";
import { automaticSignIn, codeForm } from "./code.js";
import { composer } from "./composer.js";
import { conversation } from "./conversation.js";
import { hubConnection } from "./hub.js";
import { outbox } from "./outbox.js";
import { people } from "./people.js";
import * as rooms from "./rooms.js";
import { search } from "./search.js";

const HEARTBEAT_MS = 45_000;
// The time in which a stored message comes back to its sender; then it is sent again.
const ECHO_MS = 5_000;

let me = null;
let box = null;
let here = null;
let talk = null;
let field = null;
let finder = null;
// What is switched on in the service.
let can = {};
let connection = null;
// The room on the screen, and the room that the connection is in; null while it is in none or on its way.
let room = null;
let joined = null;
let flushing = null;
let wasConnected = false;
const echoes = new Map();
const queue = callQueue(() => connection);

const who = element("span", { class: "soft truncate", id: "who" });
const shell = frame({
  brand: { label: "Chat", icon: "comment" }, sections: [], isFull: true, rail: [rooms.node],
  actions: [element("div", { class: "row who" }, who, button("Sign out", { icon: "exit", kind: "quiet", id: "sign-out", onclick: leave })), schemeButton()],
});
const chat = element("div", { class: "chat", hidden: true });
const title = element("h1", { class: "truncate", id: "room" });
const searchButton = button("Search", { icon: "search", kind: "quiet push", onlyIcon: true, id: "search-open", "aria-expanded": "false", onclick: () => { if (finder.isOpen()) finder.close(); else openSearch(); } });
const bannerText = element("p", { id: "banner-text" });
const bannerButton = button("Try now", { onclick: () => connection?.retry() });
const banner = notice("warn", element("div", { class: "row apart" }, bannerText, bannerButton));
const bannerPlace = element("div", { id: "banner", role: "status" });
document.body.append(shell.skip, shell.node);
shell.main.setAttribute("aria-label", "Chat");
shell.main.append(signIn.panel(enter, codeForm), chat);

function build() {
  box = outbox(me);
  here = people(me);
  talk = conversation({
    me, can, box, nameOf: here.nameOf, know: here.know, onbottom: () => rooms.seen(room),
    onread: (id) => { if (joined === room) queue.call("MarkRead", id).catch(() => talk.unask(id)); else talk.unask(id); },
    resend: (id) => { box.mark(id, null); talk.render(); flush(); },
    discard: (id) => { box.remove(id); talk.render(); field.input.focus(); },
    reply: (message) => field.reply(message, message.fromUserName === me ? "yourself" : message.fromFullName ?? message.fromUserName),
    edit: (message) => field.edit(message),
    remove,
  });
  field = composer({ send, save, typing: sayTyping, editLast: () => { const last = can.editMessages && talk.lastOwn(); if (last) field.edit(last); } });
  finder = search({ room: () => room, choose: showFound, onclose: closeSearch });
  searchButton.hidden = !can.search;
  chat.replaceChildren(element("section", { class: "talk", "aria-labelledby": "room" },
    element("div", { class: "talk-head" }, title, here.count, searchButton), bannerPlace, talk.node, here.line, field.node), here.side, finder.node);
}

function openSearch() {
  here.side.hidden = true;
  searchButton.setAttribute("aria-expanded", "true");
  finder.open();
}

function closeSearch() {
  here.side.hidden = false;
  searchButton.setAttribute("aria-expanded", "false");
  searchButton.focus();
}

async function showFound(message) {
  // On a narrow screen the search covers the conversation.
  if (matchMedia("(max-width: 64rem)").matches) finder.close();
  if (message.room !== room) {
    history.pushState(null, "", addressOf(message.room));
    await show();
  }
  await talk.jump(message.id);
}

// A change of a stored message: it is not kept in the outbox, so a failure is shown, and the text is not lost.
async function save(message, content) {
  try {
    await queue.call("EditMessage", message.id, content);
  } catch (error) {
    toast(`The message was not changed: ${error.message}`, { isBad: true, action: { label: "Edit again", run: () => { field.edit(message); field.input.value = content; } } });
  }
}

async function remove(message) {
  const after = can.editMessages ? "Others will see that a message was deleted." : "It disappears for everybody.";
  await confirmDialog("Delete this message?", element("div", { class: "stack" }, element("blockquote", { class: "quoted" }, message.content), element("p", {}, after)), {
    run: () => queue.call("DeleteMessage", message.id).then(() => true),
  });
}

function send(content, replyTo) {
  box.add(room, content, replyTo);
  talk.render({ follow: true });
  flush();
}

// Sends what waits for the room that the connection is in, in order, each until it has come back.
function flush() {
  flushing ??= sendAll().finally(() => { flushing = null; });
  return flushing;
}

async function sendAll() {
  for (let entry = joined && box.next(joined); entry; entry = joined && box.next(joined)) {
    const { correlationId, content, replyTo } = entry;
    const echoed = new Promise((resolve) => { echoes.set(correlationId, resolve); });
    try {
      if (replyTo) await queue.call("Reply", content, correlationId, replyTo);
      else await queue.call("SendMessage", content, correlationId);
      await Promise.race([echoed, new Promise((resume) => { setTimeout(resume, ECHO_MS); })]);
    } catch (error) {
      // Nobody knows whether it was stored: it stays, and is sent again with the same id.
      if (error.isLost) return;
      box.mark(correlationId, error.message);
      talk.render();
    } finally {
      echoes.delete(correlationId);
    }
  }
}

// Sets the room that the connection is in; tests find it at the body.
function enterRoom(name) {
  joined = name;
  if (name === null) delete document.body.dataset.joined;
  else document.body.dataset.joined = name;
}

function sayTyping(isTyping) {
  if (!can.typing || joined !== room || joined === null) return;
  queue.call("Typing", isTyping).catch(() => {});
}

const EVENTS = {
  getProfileInfo: ({ fullName }) => { if (fullName) who.textContent = fullName; },
  newMessage(message) {
    if (message.fromUserName === me && message.correlationId) {
      box.remove(message.correlationId);
      echoes.get(message.correlationId)?.();
    }
    here.stopTyping(message.fromUserName);
    if (message.room !== room) return;
    if (!talk.add(message)) rooms.add(room);
    else if (message.fromUserName !== me) rooms.seen(room);
  },
  messageChanged: (message) => { if (message.room === room) talk.change(message); },
  messageDeleted({ id, room: of }) {
    if (of !== room) return;
    talk.remove(id);
    field.forget(id);
  },
  messageRead: ({ id, readers }) => talk.read(id, readers),
  presenceSnapshot: (users) => { if (users.some(({ currentRoom }) => currentRoom === room)) here.snapshot(users.filter(({ currentRoom }) => currentRoom === room)); },
  addUser: (user) => { if (user.currentRoom === room) here.add(user); },
  removeUser: (user) => { if (user.currentRoom === room) here.remove(user.userName); },
  presenceChanged: ({ userName, isPresent }) => { if (!isPresent) here.remove(userName); },
  typing: ({ userName, room: of, isTyping }) => { if (of === room) here.typing(userName, isTyping); },
  onError: (text) => { if (!queue.refuse(text)) toast(text, { isBad: true }); },
};

// Goes to the room of the address. What was typed for the former room is sent there before.
async function show() {
  if (me === null) return;
  const names = rooms.names();
  const asked = addressParts()[0];
  const wanted = names.includes(asked) ? asked : names[0] ?? null;
  if (wanted === null) {
    chat.replaceChildren(emptyState("You are in no room", "An administrator adds you to rooms.", { icon: "users" }));
    return;
  }
  if (wanted === room) return;
  room = wanted;
  if (asked !== wanted) history.replaceState(null, "", addressOf(wanted));
  title.textContent = wanted;
  rooms.mark(wanted);
  field.begin(wanted);
  here.clear();
  await Promise.all([talk.open(wanted), join()]);
}

async function join() {
  await flushing;
  const wanted = room;
  if (wanted === null || !connection?.isOpen()) return;
  // A message that is sent now would go to the former room.
  enterRoom(null);
  try {
    await queue.call("Join", wanted);
    if (wanted !== room) return;
    enterRoom(wanted);
    // What was typed on the way into the room was not said to anybody.
    if (field.isTyping()) sayTyping(true);
    // What came into view before is read only now: receipts go to the room of the connection.
    talk.readInView();
    await flush();
  } catch (error) {
    if (!error.isLost) toast(error.message, { isBad: true });
  }
}

function connect() {
  connection?.stop();
  connection = hubConnection("/chatHub", {
    headers, onevent: (target, args) => EVENTS[target]?.(...args), onstate: showState,
  });
}

function showState(state, about) {
  document.body.dataset.connection = state;
  if (state === "connected") {
    connected(about);
    return;
  }
  if (state === "connecting") return;
  enterRoom(null);
  // Nothing comes back over a lost connection.
  for (const resume of echoes.values()) resume();
  if (state === "refused" && about.status === 401) {
    checkSession(401);
    return;
  }
  here?.clear();
  bannerText.textContent = state === "refused" ? `The service refused the connection: ${about.reason}`
    : "The connection is lost. Trying again; what you send is kept until then.";
  bannerButton.onclick = state === "refused" ? connect : null;
  if (!banner.isConnected) bannerPlace.replaceChildren(banner);
}

async function connected({ attempt, waited, reason }) {
  const hadFocus = bannerPlace.contains(document.activeElement);
  bannerPlace.replaceChildren();
  if (hadFocus) field.input.focus();
  const isAgain = wasConnected;
  wasConnected = true;
  await join();
  if (!isAgain) return;
  await talk.refresh();
  rooms.count();
  request("POST", "/api/telemetry/reconnect", { attempt, delayMs: waited, errorCategory: "connection", errorMessage: reason }).catch(() => {});
}

async function enter(person) {
  if (me !== null && me !== person.subject) {
    location.reload();
    return;
  }
  if (me === null) {
    me = person.subject;
    can = await request("GET", "/api/features");
    build();
  }
  who.textContent ||= person.name ?? person.subject;
  chat.hidden = false;
  await rooms.load({ isCounted: can.unreadCounts });
  connect();
  await show();
  document.body.dataset.ready = "true";
  if (matchMedia("(pointer: fine)").matches) field.input.focus();
}

async function leave() {
  try {
    await signOut();
  } catch (error) {
    toast(error.message, { isBad: true });
  }
}

onSessionEnd(() => {
  if (document.body.dataset.signedIn !== "true") return;
  connection?.stop();
  delete document.body.dataset.ready;
  chat.hidden = true;
  signIn.show("Your session has ended. Sign in to continue.");
});

async function begin() {
  document.body.dataset.signedIn = "unknown";
  const person = await session();
  if (!person) {
    const issuer = await automaticSignIn();
    if (issuer) location.replace(issuer);
    else signIn.show();
    return;
  }
  signIn.hide();
  await enter(person);
}

setInterval(() => { if (connection?.isOpen()) queue.call("Heartbeat").catch(() => {}); }, HEARTBEAT_MS);
addEventListener("hashchange", () => { show().catch((error) => toast(error.message, { isBad: true })); });
addEventListener("online", () => connection?.retry());
addEventListener("pagehide", () => connection?.stop());
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
begin().catch((error) => toast(error.message, { isBad: true }));
