// The page: the session, the tabs and the stream.

import { call, onSessionEnd, session } from "./api.js";
import * as devices from "./devices.js";
import { announce, byId, showError } from "./element.js";
import * as list from "./list.js";
import * as preferences from "./preferences.js";
import * as send from "./send.js";
import * as signIn from "./sign_in.js";
import { follow } from "./stream.js";

const SERVICE_ROLE = "service";
// The user whose list is shown. The page is reloaded when another user signs in.
let shownTo = null;
let streamAbort = null;
const tabs = () => [...byId("tabs").children].filter((tab) => !tab.hidden);

function choose(chosen) {
  for (const tab of byId("tabs").children) {
    const isChosen = tab === chosen;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !isChosen;
  }
  if (chosen.id === "tab-devices") devices.load().catch(showError);
}

function move(event) {
  const all = tabs();
  const at = all.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  const tab = all[(to + all.length) % all.length];
  choose(tab);
  tab.focus();
}

async function enter(who) {
  if (shownTo !== null && shownTo !== who.subject) {
    location.reload();
    return;
  }
  const isAgain = shownTo !== null;
  shownTo = who.subject;
  byId("who").textContent = `Signed in as ${who.subject}.`;
  const maySend = who.roles.includes(SERVICE_ROLE);
  byId("tab-send").hidden = !maySend;
  byId("sign-out").hidden = false;
  if (isAgain) await resume();
  else await start(who, maySend);
  streamAbort = new AbortController();
  follow(list.react, streamAbort.signal);
  document.body.dataset.ready = "true";
}

function start(who, maySend) {
  if (maySend) send.begin(who.subject);
  choose(byId("tab-list"));
  return Promise.all([list.begin(), preferences.begin()]);
}

// The page is as it was; only the list may have changed.
async function resume() {
  tabs().find((tab) => tab.getAttribute("aria-selected") === "true").focus();
  await list.load(true);
  announce("Signed in again.");
}

// Typed text stays in its forms, hidden, until the user signs in again.
onSessionEnd(() => {
  if (document.body.dataset.signedIn !== "true") return;
  streamAbort?.abort();
  delete document.body.dataset.ready;
  byId("failed").textContent = "";
  signIn.show("Your session has ended. Sign in to continue.");
});

async function begin() {
  signIn.begin(enter);
  const who = await session();
  if (!who) {
    signIn.show();
    return;
  }
  signIn.hide();
  await enter(who);
}

byId("tabs").addEventListener("keydown", move);
byId("tabs").addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab) choose(tab);
});
byId("sign-out").addEventListener("click", () => {
  call("POST", "/session/sign-out").then(() => location.reload(), showError);
});
addEventListener("pagehide", () => streamAbort?.abort());
// A page that is restored from the back-forward cache has lost its stream.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
begin().catch(showError);
