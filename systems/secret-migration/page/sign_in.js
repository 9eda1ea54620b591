// Signing in with a token: at the start, and again when the session has ended. The page keeps its content meanwhile.

import { button, field } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { toast } from "/_kit/feedback.js";
import { signIn } from "./api.js";

const token = field("Token", element("input", {
  class: "input", id: "token", name: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true,
}), { hint: "A token of your issuer, or open the link that the service printed. The token begins a session and is not kept." });
const section = element("section", { class: "sign-in card stack", id: "sign-in", "aria-labelledby": "sign-in-heading", hidden: true },
  element("h1", { id: "sign-in-heading" }, "Sign in"));

// The form; calls `enter(who)` after each successful sign-in.
export function panel(enter) {
  const form = element("form", { class: "stack" }, token.node, button("Sign in", { kind: "primary", type: "submit" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(enter);
  });
  section.append(form);
  return section;
}

export function show(text = "") {
  section.hidden = false;
  document.body.dataset.signedIn = "false";
  token.showProblem(text);
  token.input.setAttribute("aria-invalid", "false");
  token.input.focus();
}

export function hide() {
  section.hidden = true;
  document.body.dataset.signedIn = "true";
  token.showProblem("");
}

async function submit(enter) {
  let who;
  try {
    // A token may have been copied with line breaks.
    who = await signIn(token.input.value.replaceAll(/\s/g, ""));
  } catch (error) {
    token.showProblem(error.message);
    token.input.focus();
    token.input.select();
    return;
  }
  token.input.value = "";
  hide();
  await enter(who).catch((error) => toast(error.message, { isBad: true }));
}
