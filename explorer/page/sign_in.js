// Signing in with the account key, or with the token of the link that the server printed. Nothing of the data is shown
// before.

import { button, field } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { icon } from "/_kit/icon.js";
import { signIn } from "./api.js";

// Shows the form until somebody is signed in; resolves with the state of the session.
export function askForKey(state, note = "") {
  return new Promise((resolve) => {
    const key = field("Account key", element("input", { class: "input mono", id: "key", type: "password", autocomplete: "off", spellcheck: "false" }),
      { hint: "The server printed it when it was started. It begins a session of 12 hours and is not kept in this browser." });
    const known = state.wellKnownKey && button("Use the emulators' key", {
      kind: "quiet", id: "well-known", onclick: () => { key.input.value = state.wellKnownKey; submit(); },
    });
    const form = element("form", { class: "stack", novalidate: true }, key.node,
      element("div", { class: "row" }, button("Sign in", { kind: "primary", type: "submit" }), known));
    const panel = element("main", { class: "sign-in card stack", id: "sign-in", tabindex: "-1" },
      element("div", { class: "brand" }, icon("planisphere"), element("h1", {}, "Planisphere explorer")), form,
      element("dl", { class: "pairs small" }, element("dt", {}, "Endpoint"), element("dd", { class: "mono" }, state.endpoint),
        element("dt", {}, "Version"), element("dd", {}, state.version),
        ...(state.hasCertificate ? [element("dt", {}, "Certificate"), element("dd", {}, element("a", { href: "/_explorer/emulator.pem" }, "emulator.pem"))] : [])));
    const cover = element("dialog", { "aria-label": "Sign in", class: "wide-cover" });
    const isLater = document.querySelector(".frame") !== null;
    async function submit() {
      try {
        const next = await signIn({ key: key.input.value.replaceAll(/\s/g, "") });
        if (isLater) cover.close();
        (isLater ? cover : panel).remove();
        resolve(next);
      } catch (error) {
        key.showProblem(error.message);
        key.input.focus();
        key.input.select();
      }
    }
    form.addEventListener("submit", (event) => { event.preventDefault(); submit(); });
    // After a session has ended the form lies over the page, which keeps what was typed.
    if (isLater) {
      cover.append(panel);
      cover.addEventListener("cancel", (event) => event.preventDefault());
      document.body.append(cover);
      cover.showModal();
    } else {
      document.body.append(panel);
    }
    key.showProblem(note);
    key.input.focus();
  });
}

// The token in the address, which is removed from it at once.
export async function tokenOfAddress() {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, "", location.pathname);
  try {
    return await signIn({ token: found[1] });
  } catch {
    return null;
  }
}
