// Signing in with a token: at the start, and again when the session has ended. The page keeps its content meanwhile.

import { signIn } from "./api.js";
import { byId, showError } from "./element.js";

// Calls `enter(who)` after each successful sign-in.
export function begin(enter) {
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    submit(event.target.elements.token, enter);
  });
}

// Shows the form instead of everything else.
export function show(text = "") {
  byId("sign-in").hidden = false;
  document.body.dataset.signedIn = "false";
  showProblem(text);
  byId("token").focus();
}

export function hide() {
  byId("sign-in").hidden = true;
  document.body.dataset.signedIn = "true";
  showProblem("");
}

async function submit(input, enter) {
  let who;
  try {
    // A token may have been copied with line breaks.
    who = await signIn(input.value.replaceAll(/\s/g, ""));
  } catch (error) {
    showProblem(error.message, true);
    input.focus();
    input.select();
    return;
  }
  input.value = "";
  hide();
  await enter(who).catch(showError);
}

// Shows a problem of the token field, which screen readers announce.
function showProblem(text, isInvalid = false) {
  byId("token-problem").textContent = text;
  byId("token").setAttribute("aria-invalid", String(isInvalid));
}
