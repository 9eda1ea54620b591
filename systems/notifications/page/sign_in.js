// Signing in with a token: at first, and again when the session has ended. What was on the page stays there meanwhile.

import { signIn } from "./api.js";
import { byId, tell } from "./element.js";

// Calls `enter(who)` for everybody the service accepts.
export function begin(enter) {
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    submit(event.target.elements.token, enter);
  });
}

// Shows the form instead of everything else.
export function show(words = "") {
  byId("sign-in").hidden = false;
  document.body.dataset.signedIn = "false";
  problem(words);
  byId("token").focus();
}

export function hide() {
  byId("sign-in").hidden = true;
  document.body.dataset.signedIn = "true";
  problem("");
}

async function submit(input, enter) {
  let who;
  try {
    // A token may have been copied with line breaks.
    who = await signIn(input.value.replaceAll(/\s/g, ""));
  } catch (error) {
    problem(error.message, true);
    input.focus();
    input.select();
    return;
  }
  input.value = "";
  hide();
  await enter(who).catch(tell);
}

// Said by screen readers, and tied to the field.
function problem(words, isInvalid = false) {
  byId("token-problem").textContent = words;
  byId("token").setAttribute("aria-invalid", String(isInvalid));
}
