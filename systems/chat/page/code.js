// Signing in by a one-time code: first the name, then the six digits.

import { button, field } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { ApiError, issuerSignIn, session } from "/_kit/session.js";
import { start } from "/_kit/sign_in.js";

const name = field("User name", element("input", {
  class: "input", id: "user-name", name: "username", autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true,
}), { hint: "We send a code to your mail address or phone." });
const code = field("Code", element("input", {
  class: "input digits", id: "code", name: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: "6", required: true,
}), { hint: "Six digits. The code is valid for a few minutes, once." });
const said = element("p", { class: "soft", role: "status" });
const submit = button("Send a code", { kind: "primary", type: "submit" });
const back = button("Another name", { kind: "quiet", onclick: () => step(false), hidden: true });
let isCodeStep = false;

function step(isCode) {
  isCodeStep = isCode;
  name.node.hidden = isCode;
  code.node.hidden = !isCode;
  back.hidden = !isCode;
  submit.textContent = isCode ? "Sign in" : "Send a code";
  said.textContent = isCode ? `If there is a user ${name.input.value.trim()}, a code is on its way.` : "";
  code.input.value = "";
  code.showProblem("");
  (isCode ? code : name).input.focus();
}

// Not by the calls of the kit: here 401 means a wrong code, and no session can end.
async function post(path, body) {
  let response;
  try {
    response = await fetch(path, { method: "POST", headers: { "content-type": "application/json", accept: "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw new ApiError(0, "The service cannot be reached.");
  }
  if (response.ok) return;
  const problem = await response.json().catch(() => ({}));
  throw new ApiError(response.status, problem.errors?.[0]?.message ?? problem.detail ?? `The service responded with status ${response.status}.`);
}

async function go() {
  const shown = isCodeStep ? code : name;
  const userName = name.input.value.trim();
  submit.setAttribute("aria-disabled", "true");
  try {
    shown.showProblem("");
    if (!isCodeStep) {
      await post("/api/auth/start", { userName });
      step(true);
      return;
    }
    await post("/api/auth/verify", { userName, code: code.input.value.replaceAll(/\s/g, "") });
    const who = await session();
    step(false);
    await start(who);
  } catch (error) {
    shown.showProblem(error.message);
    shown.input.focus();
    shown.input.select();
  } finally {
    submit.removeAttribute("aria-disabled");
  }
}

let ways = { oneTimeCode: true, oneTimeCodeAfterDenial: true, automatic: false };

// Asks how people sign in here. Returns the address of the issuer if the page goes there by itself: not after a failure
// or a sign-out, and only once in a browser session if the service says so.
export async function automaticSignIn() {
  ways = await fetch("/api/auth/ways").then((response) => response.ok ? response.json() : ways, () => ways);
  const query = new URLSearchParams(location.search);
  if (!ways.automatic || query.has("signInError") || query.has("signedOut")) return null;
  const isTried = document.cookie.split("; ").includes(`${ways.attemptCookie}=1`);
  if (ways.oncePerSession && isTried) return null;
  document.cookie = `${ways.attemptCookie}=1; path=/; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
  return issuerSignIn(location.pathname + location.search + location.hash);
}

// The form for the sign-in panel of the kit.
export const codeForm = {
  label: "Use a one-time code instead",
  build: () => {
    code.node.hidden = true;
    const form = element("form", { class: "stack", id: "code-form", novalidate: true }, said, name.node, code.node,
      element("div", { class: "row" }, submit, back));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (submit.getAttribute("aria-disabled") !== "true") go();
    });
    return form;
  },
  offered: (failure) => failure === "denied" ? ways.oneTimeCodeAfterDenial : ways.oneTimeCode,
  showProblem: (text) => { said.textContent = text; },
  focus: () => (isCodeStep ? code : name).input.focus(),
};
