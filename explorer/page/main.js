// The explorer: the session, the frame, and which view is shown for an address such as `#/items/shop/orders`.

import { button, schemeButton } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { emptyState, errorState, loadingState, toast } from "/_kit/feedback.js";
import { addressOf, addressParts, frame } from "/_kit/frame.js";
import { accountTree } from "./account.js";
import { onSessionEnd, session, signOut } from "./api.js";
import { containerSettings } from "./container_forms.js";
import { feedView } from "./feed.js";
import { itemsView } from "./items.js";
import { partitionsView } from "./partitions.js";
import { queriesView } from "./queries.js";
import { requestsView } from "./requests.js";
import { askForKey, tokenOfAddress } from "./sign_in.js";
import { usageView } from "./usage.js";

const SECTIONS = [
  { id: "items", label: "Items", icon: "item", view: itemsView, needsContainer: true },
  { id: "queries", label: "Queries", icon: "query", view: queriesView, needsContainer: true },
  { id: "requests", label: "Requests", icon: "requests", view: requestsView },
  { id: "partitions", label: "Partitions", icon: "partitions", view: partitionsView, needsContainer: true },
  { id: "usage", label: "Bill and heat", icon: "bill", view: usageView },
  { id: "feed", label: "Change feed", icon: "feed", view: feedView, needsContainer: true },
  { id: "settings", label: "Settings", icon: "settings", view: containerSettings, needsContainer: true },
];
let shell = null;
let state = null;
let place = null;
let leave = () => {};
let shows = 0;

async function begin() {
  state = (await tokenOfAddress()) ?? (await session());
  if (!state.signedIn) {
    document.body.dataset.ready = "sign-in";
    state = await askForKey(state);
  }
  build();
  await show();
  document.body.dataset.ready = "true";
}

function build() {
  const pane = element("section", { class: "tree-pane", "aria-label": "Databases" });
  const open = button("Databases", { icon: "database", kind: "quiet only-narrow", onclick: () => pane.classList.toggle("open") });
  const out = button("Sign out", { icon: "exit", kind: "quiet", onlyIcon: true, id: "sign-out", onclick: () => signOut().then(() => location.reload(), fail) });
  shell = frame({
    brand: { label: "Planisphere" }, sections: SECTIONS, isFull: true, rail: [pane],
    actions: [open, state.readOnly && element("span", { class: "tag warn" }, "reads only"), element("span", { class: "soft small truncate account-name" }, state.account), schemeButton(), out],
  });
  document.body.append(shell.skip, shell.node);
  accountTree(pane, { isReadOnly: state.readOnly, onplace: (chosen, section) => { pane.classList.remove("open"); go(section, chosen); } });
  addEventListener("hashchange", () => show());
}

const fail = (error) => toast(error.message, { isBad: true });

function go(section, chosen) {
  const next = addressOf(section, chosen.database, chosen.container);
  if (location.hash === next) show();
  else location.hash = next;
}

async function show() {
  const number = (shows += 1);
  const [asked = "items", database, container] = addressParts();
  const section = SECTIONS.find(({ id }) => id === asked) ?? SECTIONS[0];
  if (database && container) place = { database, container };
  for (const { id, needsContainer } of SECTIONS) {
    shell.links.get(id).href = place && needsContainer ? addressOf(id, place.database, place.container) : addressOf(id);
  }
  shell.mark(section.id);
  leave();
  leave = () => {};
  if (section.needsContainer && !place) {
    shell.main.replaceChildren(emptyState("Choose a container", "Open a database in the list and choose one of its containers, or create one.", { icon: "container" }));
    return;
  }
  const waiting = setTimeout(() => shell.main.replaceChildren(loadingState()), 120);
  try {
    const view = await section.view({ place, isReadOnly: state.readOnly, state });
    if (number !== shows) return view.leave?.();
    clearTimeout(waiting);
    leave = view.leave ?? leave;
    shell.main.replaceChildren(view.node);
    view.shown?.();
  } catch (error) {
    clearTimeout(waiting);
    if (number === shows) shell.main.replaceChildren(errorState(error, () => show()));
  }
}

let isAsking = false;
onSessionEnd(async () => {
  if (isAsking) return;
  isAsking = true;
  state = await askForKey(await session(), "Your session has ended. Sign in to continue; what you typed is kept.");
  isAsking = false;
  toast("Signed in again.");
});
begin().catch((error) => document.body.append(errorState(error, () => location.reload())));
