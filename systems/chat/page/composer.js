// The field for a new message, an answer to one, or the new text of one. Enter sends, Shift and Enter begin a line, Escape
// leaves an answer or an edit. Says now and then that the person types.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";

const TYPING_EVERY_MS = 3_000;
const IDLE_MS = 4_000;

// `send(text, replyTo)` takes a message, `save(message, text)` the new text of one, `typing(isTyping)` is called.
// `editLast()` begins to edit the newest own message.
export function composer({ send, save, typing, editLast }) {
  const input = element("textarea", { class: "input", id: "message", rows: "1", "aria-label": "Message", placeholder: "Message", enterkeyhint: "send" });
  const submit = button("Send", { kind: "primary", type: "submit", icon: "send", id: "send" });
  const aboutText = element("p", { class: "truncate grow", id: "composing" });
  const about = element("div", { class: "composing", hidden: true }, aboutText,
    button("Cancel", { icon: "close", kind: "quiet", onlyIcon: true, id: "composing-cancel", onclick: () => leave() }));
  const form = element("form", { class: "composer" }, input, submit);
  const node = element("div", {}, about, form);
  // What is written: a new message ({}), an answer ({ replyTo }) or an edit ({ edited, draft }).
  let mode = {};
  let said = 0;
  let idle = 0;
  const stop = () => {
    clearTimeout(idle);
    if (said === 0) return;
    said = 0;
    typing(false);
  };
  const set = (next, words) => {
    mode = next;
    about.hidden = words === null;
    aboutText.replaceChildren(...words ?? []);
    submit.lastChild.textContent = next.edited ? "Save" : "Send";
    if (words) input.setAttribute("aria-describedby", "composing");
    else input.removeAttribute("aria-describedby");
  };
  const leave = () => {
    // What was typed before the edit comes back.
    if (mode.edited) input.value = mode.draft;
    set({}, null);
    input.focus();
  };
  const words = (title, text) => [element("span", { class: "strong" }, title), " ", element("span", { class: "soft" }, text)];
  input.addEventListener("input", () => {
    clearTimeout(idle);
    if (mode.edited) return;
    if (input.value.trim() === "") { stop(); return; }
    idle = setTimeout(stop, IDLE_MS);
    if (Date.now() - said < TYPING_EVERY_MS) return;
    said = Date.now();
    typing(true);
  });
  input.addEventListener("keydown", (event) => {
    // While an input method composes a word, Enter chooses the word.
    if (event.isComposing) return;
    if (event.key === "Escape" && !about.hidden) leave();
    else if (event.key === "ArrowUp" && input.value === "" && about.hidden) editLast();
    else if (event.key === "Enter" && !event.shiftKey) form.requestSubmit();
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    input.focus();
    if (text === "") return;
    const { edited, replyTo } = mode;
    if (edited) {
      leave();
      if (text !== edited.content) save(edited, text);
      return;
    }
    input.value = "";
    set({}, null);
    // First the message: calls are made one at a time, and the end of typing can wait.
    send(text, replyTo ?? null);
    stop();
  });
  const begin = (room) => {
    stop();
    if (mode.edited) input.value = mode.draft;
    set({}, null);
    input.placeholder = `Message to ${room}`;
    input.setAttribute("aria-label", `Message to ${room}`);
  };
  const reply = (message, name) => {
    if (mode.edited) input.value = mode.draft;
    set({ replyTo: message.id }, words(`Reply to ${name}`, message.content));
    input.focus();
  };
  const edit = (message) => {
    stop();
    set({ edited: message, draft: mode.edited ? mode.draft : input.value }, words("Edit your message", message.content));
    input.value = message.content;
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  };
  // A message that is gone is neither answered nor edited any more.
  const forget = (id) => { if (mode.edited?.id === id || mode.replyTo === id) leave(); };
  const isTyping = () => said !== 0;
  return { node, input, begin, reply, edit, forget, isTyping };
}
