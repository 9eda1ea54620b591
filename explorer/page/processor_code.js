// The dialog with programs that start a change feed processor, to copy. Does not own the programs.

import { button, tabs } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { dialog, notice, toast } from "/_kit/feedback.js";
import { processorPrograms } from "./processor_programs.js";

export function showCode(place, { endpoint }) {
  const panels = processorPrograms(place, endpoint).map(({ label, code, about }) => ({
    id: label, label, panel: element("div", { class: "stack" }, notice("", about),
      element("pre", { class: "code", tabindex: "0", "aria-label": `${label} code` }, code),
      element("div", { class: "row" }, button("Copy", { icon: "copy", onclick: () => copy(code) }))),
  }));
  const bar = tabs("Language", panels);
  return dialog("Start a processor", element("div", { class: "stack" }, bar.node, ...panels.map(({ panel }) => panel)), { isWide: true });
}

const copy = (text) => navigator.clipboard.writeText(text)
  .then(() => toast("Copied."), () => toast("The browser does not allow copying here.", { isBad: true }));
