// The page: the session, the sections and the stream of changes.

import { button, schemeButton } from "/_kit/control.js";
import { byId, element, later } from "/_kit/element.js";
import { toast } from "/_kit/feedback.js";
import { addressParts, frame } from "/_kit/frame.js";
import { checkSession, headers, onSessionEnd, session, signOut } from "/_kit/session.js";
import * as signIn from "/_kit/sign_in.js";
import { liveStream } from "/_kit/stream.js";
import * as board from "./board.js";
import * as errors from "./errors.js";
import * as waves from "./waves.js";
import * as workload from "./workload.js";

const SECTIONS = [
  { id: "board", label: "Board", icon: "bill", part: board },
  { id: "waves", label: "Waves", icon: "play", part: waves },
  { id: "workload", label: "Workloads", icon: "container", part: workload },
  { id: "errors", label: "Errors", icon: "warning", part: errors },
];
let shownTo = null;
let streamAbort = null;

const who = element("span", { class: "soft truncate", id: "who" });
const leaveButton = button("Sign out", { icon: "exit", kind: "quiet", id: "sign-out", onclick: leave });
const shell = frame({
  brand: { label: "Secrets migration", icon: "lock" }, sections: SECTIONS,
  actions: [element("div", { class: "row who" }, who, leaveButton), schemeButton()],
});
const panels = new Map(SECTIONS.map(({ id }) => [id, element("div", { class: "page", id: `panel-${id}`, hidden: true })]));
document.body.append(shell.skip, shell.node);
shell.main.append(signIn.panel(enter), ...panels.values());

const current = () => SECTIONS.find(({ id }) => id === addressParts()[0]) ?? SECTIONS[0];

function show() {
  if (shownTo === null) return;
  const { id, part } = current();
  for (const [name, panel] of panels) panel.hidden = name !== id;
  shell.mark(id);
  part.shown(panels.get(id), addressParts().slice(1));
}

// Many changes at once are one new look.
const refresh = later(() => { if (shownTo !== null) current().part.changed?.(); }, 200);

async function enter(person) {
  if (shownTo !== null && shownTo !== person.subject) {
    location.reload();
    return;
  }
  shownTo = person.subject;
  who.textContent = `${person.name ?? person.subject} (${person.roles.join(", ")})`;
  const may = (role) => person.roles.includes("admin") || person.roles.includes(role);
  document.body.dataset.operator = String(may("operator"));
  show();
  streamAbort?.abort();
  streamAbort = new AbortController();
  liveStream("/v1/events", {
    headers, signal: streamAbort.signal, onevent: refresh,
    onstate: (_, status) => { if (status) checkSession(status); },
  });
  document.body.dataset.ready = "true";
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
  streamAbort?.abort();
  delete document.body.dataset.ready;
  for (const panel of panels.values()) panel.hidden = true;
  signIn.show("Your session has ended. Sign in to continue.");
});

async function begin() {
  document.body.dataset.signedIn = "unknown";
  const person = await session();
  if (!person) {
    signIn.show();
    return;
  }
  signIn.hide();
  await enter(person);
}

addEventListener("hashchange", show);
addEventListener("pagehide", () => streamAbort?.abort());
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
begin().catch((error) => toast(error.message, { isBad: true }));
byId("main").setAttribute("aria-label", "Secrets migration");
