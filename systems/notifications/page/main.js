// The page: who is signed in, which section is shown, and the stream behind it all.

import { call, onSessionEnd, session } from "./api.js";
import * as devices from "./devices.js";
import { byId, say, tell } from "./element.js";
import * as list from "./list.js";
import * as preferences from "./preferences.js";
import * as send from "./send.js";
import * as signIn from "./sign_in.js";
import { follow } from "./stream.js";

const SERVICE_ROLE = "service";
// Whose list is shown; a session of somebody else begins with a fresh page.
let shownTo = null;
let following = null;
const tabs = () => [...byId("tabs").children].filter((tab) => !tab.hidden);

function choose(chosen) {
  for (const tab of byId("tabs").children) {
    const is = tab === chosen;
    tab.setAttribute("aria-selected", String(is));
    tab.tabIndex = is ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !is;
  }
  if (chosen.id === "tab-devices") devices.load().catch(tell);
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
  if (isAgain) await goOn();
  else await first(who, maySend);
  following = new AbortController();
  follow(list.react, following.signal);
  document.body.dataset.ready = "true";
}

function first(who, maySend) {
  if (maySend) send.begin(who.subject);
  choose(byId("tab-list"));
  return Promise.all([list.begin(), preferences.begin()]);
}

// Everything is where it was; only the list may have changed.
async function goOn() {
  tabs().find((tab) => tab.getAttribute("aria-selected") === "true").focus();
  await list.load(true);
  say("Signed in again.");
}

// What was typed stays in its forms, hidden, until somebody signs in again.
onSessionEnd(() => {
  if (document.body.dataset.signedIn !== "true") return;
  following?.abort();
  delete document.body.dataset.ready;
  byId("failed").textContent = "";
  signIn.show("Your session has ended. Sign in to go on.");
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
  call("POST", "/session/sign-out").then(() => location.reload(), tell);
});
addEventListener("pagehide", () => following?.abort());
// A page shown again from the browser's memory has lost its stream.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
begin().catch(tell);
