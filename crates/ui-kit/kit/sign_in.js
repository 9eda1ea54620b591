// Signing in at the issuer of the service, or with a token, or with a form of the page: at the start, and again when the
// session has ended. The page keeps its content meanwhile.

import { button, field } from "./control.js";
import { element } from "./element.js";
import { toast } from "./feedback.js";
import { icon } from "./icon.js";
import { issuerSignIn, session, signIn, signInMethods } from "./session.js";

// The codes of the service for a sign-in at the issuer that failed.
const FAILURES = {
  denied: "The issuer denied access.",
  expired: "The sign-in took too long, or was begun in another window. Try again.",
  unavailable: "The issuer cannot be reached. Try again later.",
  failed: "The sign-in failed. If it fails again, the operator finds the reason in the log of the service.",
};
// Pages of this service in other tabs: one that signs in wakes those that wait.
const tabs = new BroadcastChannel("session");

const token = field("Token", element("input", {
  class: "input", id: "token", name: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true,
}), { hint: "A token of your issuer, or open the link that the service printed. The token begins a session and is not kept." });
const problem = element("p", { class: "problem", id: "sign-in-problem", role: "alert" });
const issuer = element("a", { class: "button primary", id: "sign-in-issuer" });
const section = element("section", { class: "sign-in card stack", id: "sign-in", "aria-labelledby": "sign-in-heading", hidden: true },
  element("h1", { id: "sign-in-heading" }, "Sign in"));
// The form beside the issuer. `label` stands above it where the issuer comes first.
let way = { label: "Use a token instead", build: tokenForm, showProblem: (text) => token.showProblem(text), focus: () => token.input.focus() };
let methods = null;
let second = null;
let enterPage = async () => {};

// The form; calls `enter(who)` after each successful sign-in. `own` replaces the form for a token: { label, build,
// showProblem, focus, offered }, where `build(isSecond)` returns the form; `isSecond`: it comes after the issuer; and
// `offered(failure)`, if there is one, says whether the form is shown beside the issuer after that failure. The form calls
// `start(who)` when it has begun a session.
export function panel(enter, own) {
  enterPage = enter;
  way = own ?? way;
  return section;
}

// Shows the form. With a text, the page behind it was in use: the issuer then opens in another tab, so that nothing
// typed is lost.
export async function show(text = "") {
  document.body.dataset.signedIn = "false";
  methods ??= await signInMethods().catch(() => ({}));
  if (!section.querySelector("form")) build();
  section.hidden = false;
  if (methods.issuer) showIssuer(text);
  else showForm(text);
}

export function hide() {
  section.hidden = true;
  document.body.dataset.signedIn = "true";
  way.showProblem("");
  tabs.postMessage("signed in");
}

function tokenForm(isSecond) {
  const form = element("form", { class: "stack" }, token.node,
    button("Sign in", { kind: isSecond ? "" : "primary", type: "submit" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return form;
}

function build() {
  const form = way.build(Boolean(methods.issuer));
  if (!methods.issuer) {
    section.append(form);
    return;
  }
  issuer.append(icon("user"), `Sign in with ${new URL(methods.issuer).host}`);
  second = element("details", {}, element("summary", {}, way.label), form);
  section.append(problem, issuer, second);
}

function showForm(text) {
  way.showProblem(text);
  if (way.build === tokenForm) token.input.setAttribute("aria-invalid", "false");
  way.focus();
}

function showIssuer(text) {
  const { pathname, search, hash } = location;
  const code = new URLSearchParams(search).get("signInError");
  problem.textContent = text || (code && (FAILURES[code] ?? FAILURES.failed)) || "";
  if (code) history.replaceState(null, "", pathname + hash);
  issuer.href = issuerSignIn(pathname + (code ? "" : search) + hash);
  if (text) {
    issuer.target = "_blank";
    problem.textContent += " It opens in another tab; what you typed here stays.";
  }
  second.hidden = way.offered ? !way.offered(code) : false;
  issuer.focus();
}

// Somebody signed in, in another tab.
tabs.addEventListener("message", async () => {
  if (section.hidden || document.body.dataset.signedIn !== "false") return;
  const who = await session().catch(() => null);
  if (who) await start(who);
});

async function submit() {
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
  await start(who);
}

export async function start(who) {
  hide();
  await enterPage(who).catch((error) => toast(error.message, { isBad: true }));
}
