// The field for a new message. Enter sends, Shift and Enter begin a line. Tells that the person types, now and then.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";

const TYPING_EVERY_MS = 3_000;
const IDLE_MS = 4_000;

// `send(text)` takes a message, `typing(isTyping)` is told.
export function composer({ send, typing }) {
  const input = element("textarea", { class: "input", id: "message", rows: "1", "aria-label": "Message", placeholder: "Message", enterkeyhint: "send" });
  const form = element("form", { class: "composer" }, input, button("Send", { kind: "primary", type: "submit", icon: "send", id: "send" }));
  let told = 0;
  let idle = 0;
  const stop = () => {
    clearTimeout(idle);
    if (told === 0) return;
    told = 0;
    typing(false);
  };
  input.addEventListener("input", () => {
    clearTimeout(idle);
    if (input.value.trim() === "") { stop(); return; }
    idle = setTimeout(stop, IDLE_MS);
    if (Date.now() - told < TYPING_EVERY_MS) return;
    told = Date.now();
    typing(true);
  });
  input.addEventListener("keydown", (event) => {
    // While an input method composes a word, Enter chooses the word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    input.focus();
    if (text === "") return;
    input.value = "";
    // First the message: calls are made one at a time, and the end of typing can wait.
    send(text);
    stop();
  });
  const begin = (room) => {
    stop();
    input.placeholder = `Message to ${room}`;
    input.setAttribute("aria-label", `Message to ${room}`);
  };
  return { node: form, input, begin };
}
