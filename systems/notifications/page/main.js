// The page: who is signed in, which section is shown, and the stream behind it all.

import { call, session, useToken } from "./api.js";
import * as devices from "./devices.js";
import { byId, tell } from "./element.js";
import * as list from "./list.js";
import * as preferences from "./preferences.js";
import * as send from "./send.js";
import { follow } from "./stream.js";

const SERVICE_ROLE = "service";
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

async function begin() {
  const who = await session();
  byId("sign-in").hidden = who !== null;
  if (!who) return;
  byId("who").textContent = `Signed in as ${who.subject}.`;
  // A token given by hand is forgotten by closing the page.
  byId("sign-out").hidden = !who.csrfToken;
  const maySend = who.roles.includes(SERVICE_ROLE);
  byId("tab-send").hidden = !maySend;
  if (maySend) send.begin(who.subject);
  choose(byId("tab-list"));
  const stop = new AbortController();
  addEventListener("pagehide", () => stop.abort());
  await Promise.all([list.begin(), preferences.begin()]);
  follow(list.react, stop.signal);
  document.body.dataset.ready = "true";
}

byId("tabs").addEventListener("keydown", move);
byId("tabs").addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab) choose(tab);
});
byId("sign-out").addEventListener("click", () => {
  call("POST", "/session/sign-out").then(() => location.reload(), tell);
});
byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  useToken(event.target.elements.token.value.trim());
  begin().then(() => {
    if (!byId("sign-in").hidden) tell(new Error("The token is not accepted."));
  }, tell);
});
// A page shown again from the browser's memory has lost its stream.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
begin().catch(tell);
