// What the page says: toasts, dialogs, menus, and the empty, loading and error states.

import { button, nextIndex } from "./control.js";
import { element, freshId } from "./element.js";
import { icon } from "./icon.js";

const TOAST_MS = 6_000;
// More would cover the page; the oldest leaves first.
const TOASTS_MAX = 2;

// Two regions, so that failures are announced at once and the rest when the reader pauses.
function region(role) {
  const id = `toasts-${role}`;
  let found = document.getElementById(id);
  if (!found) {
    found = element("div", { class: "toasts", id, role, popover: "manual" });
    document.body.append(found);
  }
  // A popover lies above open dialogs; showing it again brings it to the front.
  if (found.matches(":popover-open")) found.hidePopover();
  found.showPopover();
  return found;
}

// Shows a message for some seconds; longer while the pointer or the focus is on it. `action` is { label, run }, such as
// Undo; `ended` is called when the message leaves without it. Failures stay until they are closed.
export function toast(text, { action, isBad = false, ended = () => {} } = {}) {
  const place = region(isBad ? "alert" : "status");
  let timer = 0;
  const node = element("div", { class: `toast${isBad ? " bad" : ""}` },
    isBad && icon("error"), element("span", { class: "grow" }, text));
  const close = (isActed = false) => {
    clearTimeout(timer);
    if (!node.isConnected) return;
    node.remove();
    if (place.childElementCount === 0) place.hidePopover();
    if (!isActed) ended();
  };
  if (action) node.append(button(action.label, { onclick: () => { close(true); action.run(); } }));
  node.append(button("Close the message", { icon: "close", onlyIcon: true, onclick: () => close() }));
  const wait = () => { if (!isBad) timer = setTimeout(close, TOAST_MS); };
  for (const name of ["pointerenter", "focusin"]) node.addEventListener(name, () => clearTimeout(timer));
  for (const name of ["pointerleave", "focusout"]) node.addEventListener(name, wait);
  place.append(node);
  while (place.childElementCount > TOASTS_MAX) place.firstElementChild.lastElementChild.click();
  wait();
  return close;
}

// Opens a dialog; `actions` are [{ label, kind, value, run }]. Returns the value of the pressed button, or null. An
// action whose `run` throws keeps the dialog open and shows the reason.
export function dialog(title, body, { actions = [{ label: "Close", value: null }], isWide = false } = {}) {
  return new Promise((resolve) => {
    // Without a field the focus begins at the title, so that a long body is read from its start.
    const hasField = body instanceof Element && (body.matches("input, select, textarea") || body.querySelector("input, select, textarea") !== null);
    const heading = element("h2", { id: freshId("title"), tabindex: "-1", autofocus: !hasField }, title);
    const problem = element("p", { class: "problem", role: "alert" });
    let result = null;
    const foot = element("div", { class: "dialog-foot" });
    const node = element("dialog", { class: isWide ? "wide" : "", "aria-labelledby": heading.id },
      element("form", { method: "dialog", novalidate: true },
        element("div", { class: "dialog-head" }, heading),
        element("div", { class: "dialog-body stack" }, body, problem), foot));
    actions.forEach(({ label, kind = "", value = true, run }, at) => {
      const isDefault = kind.includes("primary") || at === actions.length - 1;
      const pressed = button(label, { kind, type: isDefault ? "submit" : "button" });
      pressed.addEventListener("click", async (event) => {
        event.preventDefault();
        try {
          pressed.setAttribute("aria-disabled", "true");
          problem.textContent = "";
          result = run ? await run() : value;
          if (result === false) return;
          node.close();
        } catch (error) {
          problem.textContent = error.message;
        } finally {
          pressed.removeAttribute("aria-disabled");
        }
      });
      foot.append(pressed);
    });
    node.addEventListener("cancel", () => { result = null; });
    node.addEventListener("close", () => { node.remove(); resolve(result); });
    document.body.append(node);
    node.showModal();
  });
}

// Asks before something that cannot be undone.
export function confirmDialog(title, body, { label = "Delete", isDanger = true, run } = {}) {
  return dialog(title, body, {
    actions: [{ label: "Cancel", value: null }, { label, kind: isDanger ? "primary danger" : "primary", value: true, run }],
  });
}

// A button that opens a menu of [{ label, icon, isDanger, run }].
export function menuButton(label, items, { icon: name = "more", kind = "quiet", onlyIcon = true, ...rest } = {}) {
  const opener = button(label, { icon: name, kind, onlyIcon, "aria-haspopup": "menu", "aria-expanded": "false", ...rest });
  opener.addEventListener("click", (event) => {
    event.stopPropagation();
    openMenu(opener, typeof items === "function" ? items() : items, label);
  });
  return opener;
}

export function openMenu(opener, items, label) {
  const node = element("div", { class: "menu", role: "menu", "aria-label": label, popover: "auto" });
  const entries = items.map(({ label: text, icon: name, isDanger, run }) => element("button", {
    type: "button", role: "menuitem", tabindex: "-1", class: isDanger ? "danger" : "",
    onclick: () => { node.hidePopover(); run(); },
  }, name && icon(name), text));
  node.append(...entries);
  node.addEventListener("keydown", (event) => {
    const to = nextIndex(event.key, entries.indexOf(document.activeElement), entries.length);
    if (event.key === "Tab") node.hidePopover();
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    entries[to].focus();
  });
  node.addEventListener("toggle", (event) => {
    opener.setAttribute("aria-expanded", String(event.newState === "open"));
    if (event.newState === "open") return;
    const hadFocus = node.contains(document.activeElement) || document.activeElement === document.body;
    node.remove();
    if (hadFocus) opener.focus();
  });
  document.body.append(node);
  node.showPopover();
  const box = opener.getBoundingClientRect();
  const size = node.getBoundingClientRect();
  node.style.left = `${Math.max(8, Math.min(box.left, innerWidth - size.width - 8))}px`;
  node.style.top = `${box.bottom + 4 + size.height > innerHeight ? Math.max(8, box.top - size.height - 4) : box.bottom + 4}px`;
  entries[0]?.focus();
}

// The state of a part that has nothing to show.
export function emptyState(title, text, { icon: name = "inbox", action } = {}) {
  return element("div", { class: "state" }, icon(name), element("p", { class: "state-title" }, title), text && element("p", {}, text),
    action && button(action.label, { onclick: action.run, kind: action.kind ?? "" }));
}

export function errorState(error, retry) {
  return element("div", { class: "state bad", role: "alert" }, icon("error"),
    element("p", { class: "state-title" }, error.title ?? "This could not be loaded"), element("p", {}, error.message),
    retry && button("Try again", { icon: "refresh", onclick: retry }));
}

export function loadingState(label = "Loading", lines = 5) {
  const bars = Array.from({ length: lines }, () => element("span"));
  return element("div", { class: "skeleton", role: "status", "aria-busy": "true" },
    element("div", { class: "visually-hidden" }, label), ...bars);
}

// Shows `load()` in `place`: a skeleton if it takes time, then what it returns, or the error with a way to try again.
export async function loadInto(place, load) {
  const waiting = setTimeout(() => place.replaceChildren(loadingState()), 120);
  try {
    const node = await load();
    clearTimeout(waiting);
    place.replaceChildren(node);
  } catch (error) {
    clearTimeout(waiting);
    place.replaceChildren(errorState(error, () => loadInto(place, load)));
  }
}

const newest = new WeakMap();

// Shows `load()` in `place` again, without a flicker: what is there stays until its successor is loaded.
export async function reloadInto(place, load) {
  if (place.childElementCount === 0) return loadInto(place, load);
  const number = (newest.get(place) ?? 0) + 1;
  newest.set(place, number);
  let node;
  try {
    node = await load();
  } catch {
    return loadInto(place, load);
  }
  // An answer that was overtaken by a later one is dropped.
  if (newest.get(place) === number) place.replaceChildren(node);
}

// A notice inside the page: kind is "", "good", "warn" or "bad".
export function notice(kind, ...content) {
  const name = { warn: "warning", bad: "error", good: "check" }[kind] ?? "info";
  return element("div", { class: `notice ${kind}`.trim() }, icon(name), element("div", { class: "stack tight grow" }, ...content));
}
