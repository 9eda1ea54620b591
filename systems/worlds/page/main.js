// The page: the session, the list of worlds, and one world.

import { button, field, schemeButton } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { dialog, emptyState, errorState, loadingState, toast } from "/_kit/feedback.js";
import { addressOf, addressParts, frame } from "/_kit/frame.js";
import { call, onSessionEnd, session, signOut } from "/_kit/session.js";
import * as signIn from "/_kit/sign_in.js";
import { api } from "./calls.js";
import * as entity from "./entity.js";
import * as world from "./world.js";

let shownTo = null;
let open = null;
const who = element("span", { class: "soft truncate", id: "who" });
const leaveButton = button("Sign out", { icon: "exit", kind: "quiet", id: "sign-out", onclick: () => signOut().catch((error) => toast(error.message, { isBad: true })) });
const shell = frame({ brand: { label: "Worlds", icon: "planisphere" }, sections: [], actions: [element("div", { class: "row who" }, who, leaveButton), schemeButton()] });
const place = element("div", { class: "page", id: "place" });
document.body.append(shell.skip, shell.node);
shell.main.append(signIn.panel(enter), place);

async function show() {
  const [section, id, chosen] = addressParts();
  if (section === "world" && id) {
    if (open?.id === id) return open.view.select(chosen ?? id);
    open = { id, view: { select: () => {} } };
    open.view = await world.show(place, id, chosen);
  } else {
    open = null;
    world.leave();
    await list();
  }
}

async function list() {
  place.replaceChildren(loadingState());
  try {
    const { data } = await api("GET", "/worlds?limit=200");
    const rows = data.map((one) => element("li", { class: "card" },
      element("h2", {}, element("a", { href: addressOf("world", one.id, one.id) }, one.name)), element("p", { class: "soft" }, one.description ?? "")));
    const create = () => newWorld();
    const tools = element("div", { class: "world-bar" }, element("h1", { class: "grow" }, "Worlds"),
      button("Import", { icon: "upload", id: "import", onclick: importWorld }), button("New world", { icon: "plus", kind: "primary", id: "new-world", onclick: create }));
    place.replaceChildren(tools, rows.length > 0 ? element("ul", { class: "stack", id: "worlds" }, ...rows)
      : emptyState("No worlds yet", "Create one, or import an archive.", { action: button("New world", { kind: "primary", onclick: create }) }));
  } catch (error) {
    place.replaceChildren(errorState(error, list));
  }
}

function newWorld() {
  const name = field("Name", element("input", { class: "input", id: "world-name", maxlength: "100" }));
  const run = async () => {
    const { data } = await api("POST", "/worlds", { name: name.input.value });
    location.hash = addressOf("world", data.id, data.id);
    return true;
  };
  return dialog("New world", name.node, { actions: [{ label: "Cancel", value: null }, { label: "Create", kind: "primary", run }] });
}

function importWorld() {
  const file = element("input", { type: "file", accept: ".zip", class: "input" });
  const chosen = field("Archive", file, { hint: "A zip with world.json and entities/*.json" });
  const run = async () => {
    if (!file.files[0]) return false;
    const { data } = await api("POST", "/worlds/import", file.files[0]);
    toast("Imported");
    location.hash = addressOf("world", data.id, data.id);
    return true;
  };
  return dialog("Import a world", chosen.node, { actions: [{ label: "Cancel", value: null }, { label: "Import", kind: "primary", run }] });
}

async function enter(person) {
  if (shownTo !== null && shownTo !== person.subject) return location.reload();
  shownTo = person.subject;
  who.textContent = person.name ?? person.subject;
  await entity.prepare();
  await show();
  document.body.dataset.ready = "true";
}

onSessionEnd(() => {
  if (document.body.dataset.signedIn !== "true") return;
  world.leave();
  delete document.body.dataset.ready;
  signIn.show("Your session has ended. Sign in to continue.");
});

async function begin() {
  document.body.dataset.signedIn = "unknown";
  const access = await call("GET", "/api/config/access-status");
  if (!access.signInRequired) {
    leaveButton.hidden = true;
    signIn.hide();
    return enter({ subject: "Everybody" });
  }
  const person = await session();
  if (!person) return signIn.show();
  signIn.hide();
  return enter(person);
}

window.addEventListener("hashchange", () => { if (shownTo !== null) show(); });
begin().catch((error) => place.replaceChildren(errorState(error, () => location.reload())));
