// The page: the session, the sections, the unread badge and the stream.

import { button, schemeButton } from "/_kit/control.js";
import { byId, element } from "/_kit/element.js";
import { loadingState, toast } from "/_kit/feedback.js";
import { addressParts, frame } from "/_kit/frame.js";
import { onSessionEnd, session, signOut } from "/_kit/session.js";
import * as signIn from "/_kit/sign_in.js";
import * as devices from "./devices.js";
import { follow } from "./follow.js";
import * as list from "./list.js";
import * as operator from "./operator.js";
import * as send from "./send.js";
import * as settings from "./settings.js";

const SECTIONS = [
  { id: "list", label: "Notifications", icon: "bell", part: list },
  { id: "settings", label: "Settings", icon: "settings", part: settings },
  { id: "devices", label: "Devices", icon: "device", part: devices },
  { id: "send", label: "Send", icon: "send", part: send, role: "service" },
  { id: "operator", label: "Operator", icon: "bill", part: operator, role: "admin" },
];
// The user whose list is shown. The page is reloaded when another user signs in.
let shownTo = null;
let mine = [];
let streamAbort = null;

const badge = element("span", { class: "badge", id: "badge", hidden: true });
const who = element("span", { class: "soft truncate", id: "who" });
const leaveButton = button("Sign out", { icon: "exit", kind: "quiet", id: "sign-out", onclick: leave });
const shell = frame({
  brand: { label: "Notifications", icon: "bell" }, sections: SECTIONS,
  actions: [element("div", { class: "row who" }, who, leaveButton), schemeButton()],
});
shell.top.querySelector(".brand").after(badge);
// What happens by itself is said to screen readers here; what the user did is said by toasts.
const said = element("p", { id: "said", class: "visually-hidden", role: "status" });
const panels = new Map(SECTIONS.map(({ id }) => [id, element("div", { class: "page narrow", id: `panel-${id}`, hidden: true })]));
document.body.append(shell.skip, shell.node, said);
shell.main.append(signIn.panel(enter), ...panels.values());
list.connect({ badge, said });

function show() {
  const [asked] = addressParts();
  const id = mine.some((section) => section.id === asked) ? asked : "list";
  for (const [name, panel] of panels) panel.hidden = name !== id;
  shell.mark(id);
  const { part } = SECTIONS.find((section) => section.id === id);
  part.shown?.();
}

async function enter(person) {
  if (shownTo !== null && shownTo !== person.subject) {
    location.reload();
    return;
  }
  const isNew = shownTo === null;
  shownTo = person.subject;
  who.textContent = person.name ?? person.subject;
  mine = SECTIONS.filter(({ role }) => !role || person.roles.includes(role));
  for (const { id } of SECTIONS) shell.links.get(id).hidden = !mine.some((section) => section.id === id);
  show();
  if (isNew) await start(person);
  else await list.load(true);
  streamAbort?.abort();
  streamAbort = new AbortController();
  follow(list.react, streamAbort.signal);
  document.body.dataset.ready = "true";
}

async function start(person) {
  await Promise.all(mine.map(async ({ id, part }) => {
    const panel = panels.get(id);
    panel.replaceChildren(loadingState());
    await part.begin(panel, person);
  }));
}

async function leave() {
  try {
    await signOut();
  } catch (error) {
    toast(error.message, { isBad: true });
  }
}

// Typed text stays in its forms, hidden, until the user signs in again.
onSessionEnd(() => {
  if (document.body.dataset.signedIn !== "true") return;
  streamAbort?.abort();
  delete document.body.dataset.ready;
  for (const panel of panels.values()) panel.hidden = true;
  signIn.show("Your session has ended. Sign in to continue.");
});

async function begin() {
  document.body.dataset.signedIn = "unknown";
  shell.main.setAttribute("aria-busy", "true");
  try {
    const person = await session();
    if (!person) {
      signIn.show();
      return;
    }
    signIn.hide();
    await enter(person);
  } finally {
    shell.main.removeAttribute("aria-busy");
  }
}

addEventListener("hashchange", () => { if (mine.length > 0) show(); });
addEventListener("pagehide", () => streamAbort?.abort());
// A page that is restored from the back-forward cache has lost its stream.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
begin().catch((error) => toast(error.message, { isBad: true }));
byId("main").setAttribute("aria-label", "Notifications");
