// A page with sections behind a sign-in: the session, the frame, and which section is shown.

import { button, schemeButton } from "./control.js";
import { byId, element } from "./element.js";
import { emptyState, toast } from "./feedback.js";
import { addressParts, frame } from "./frame.js";
import { onSessionEnd, session, signOut } from "./session.js";
import * as signIn from "./sign_in.js";

// sections: [{ id, label, icon, part }]. `part.shown(panel, rest of the address)` fills its panel, and `part.left()` ends
// what it has begun. Only people with `role` see the sections.
export function application({ brand, sections, role }) {
  const who = element("span", { class: "soft truncate", id: "who" });
  const leaveButton = button("Sign out", { icon: "exit", kind: "quiet", id: "sign-out", onclick: () => signOut().catch(say) });
  const shell = frame({ brand, sections, actions: [element("div", { class: "row who" }, who, leaveButton), schemeButton()] });
  const panels = new Map(sections.map(({ id }) => [id, element("div", { class: "page", id: `panel-${id}`, hidden: true })]));
  const refused = element("div", { class: "page", hidden: true });
  let shownTo = null;
  let shown = null;
  document.body.append(shell.skip, shell.node);
  shell.main.append(signIn.panel(enter), refused, ...panels.values());
  byId("main").setAttribute("aria-label", brand.label);

  function say(error) {
    toast(error.message, { isBad: true });
  }

  function leave() {
    shown?.part.left?.();
    shown = null;
    for (const panel of panels.values()) panel.hidden = true;
  }

  function show() {
    if (shownTo === null) return;
    leave();
    shown = sections.find(({ id }) => id === addressParts()[0]) ?? sections[0];
    panels.get(shown.id).hidden = false;
    shell.mark(shown.id);
    shown.part.shown(panels.get(shown.id), addressParts().slice(1));
  }

  function enter(person) {
    if (shownTo !== null && shownTo !== person.subject) {
      location.reload();
      return;
    }
    who.textContent = person.roles.length > 0 ? `${person.name ?? person.subject} (${person.roles.join(", ")})` : person.name ?? person.subject;
    document.body.dataset.ready = "true";
    const mayEnter = person.roles.includes(role);
    shell.side.hidden = !mayEnter;
    refused.hidden = mayEnter;
    if (!mayEnter) {
      refused.replaceChildren(element("h1", {}, brand.label), emptyState("This page is for operators", `You need the role ${role}.`, { icon: "lock" }));
      return;
    }
    shownTo = person.subject;
    show();
  }

  async function begin() {
    document.body.dataset.signedIn = "unknown";
    const person = await session();
    if (!person) {
      signIn.show();
      return;
    }
    signIn.hide();
    enter(person);
  }

  onSessionEnd(() => {
    if (document.body.dataset.signedIn !== "true") return;
    delete document.body.dataset.ready;
    leave();
    signIn.show("Your session has ended. Sign in to continue.");
  });
  addEventListener("hashchange", show);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  begin().catch(say);
}
