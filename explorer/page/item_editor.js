// One item as JSON: validation, saving with If-Match, both versions side by side after a conflict, deleting.

import { button } from "/_kit/control.js";
import { diff } from "/_kit/diff.js";
import { editor } from "/_kit/editor.js";
import { element, numberText } from "/_kit/element.js";
import { confirmDialog, dialog, toast } from "/_kit/feedback.js";
import { layOutJson } from "/_kit/highlight.js";
import { jsonProblem } from "/_kit/json_problem.js";
import { call, containerPath, itemPath, keyHeader, keyOf } from "./api.js";
import { versionsPanel } from "./versions.js";

const DELETED = "The item was deleted meanwhile. What you typed is kept; save it as a new item.";
const SYSTEM = /^\s*"(_rid|_self|_etag|_attachments|_ts|_lsn)":.*$/;

// `item` is a row of the list, or null for a new one; `given` is its text, or the answer of a point read.
export async function itemEditor({ place, definition, item, text: given, isReadOnly, asOf, onsaved, onclosed }) {
  const isNew = item === null;
  const key = isNew ? null : keyOf(definition, item);
  let stored = null;
  if (isNew) stored = { text: given, etag: null, charge: 0 };
  else if (asOf) stored = { text: JSON.stringify(item), etag: null, charge: 0 };
  else stored = await read();
  const shownText = (text) => withoutSystem(layOutJson(text));
  const problem = element("p", { class: "problem", role: "alert", id: "item-problem" });
  const about = element("p", { class: "soft small", id: "item-about" });
  const past = element("div", {});
  const code = editor(isNew ? "New item" : `Item ${item.id}`, {
    value: shownText(stored.text), isReadOnly, onchange: check, onrun: save,
  });
  code.node.classList.add("tall");

  async function read() {
    const answer = typeof given === "object" && given !== null && given !== undefined ? given : await call("GET", itemPath(place, item.id), { headers: keyHeader(key) });
    given = undefined;
    return { text: answer.text, etag: answer.headers.get("etag"), charge: answer.charge };
  }

  function check() {
    const wrong = jsonProblem(code.value());
    problem.textContent = wrong ? wrong.message : "";
    code.markLine(wrong ? wrong.line : 0);
    return !wrong;
  }

  async function save() {
    if (isReadOnly || !check()) return;
    const typed = code.value();
    const next = JSON.parse(typed);
    try {
      const headers = keyHeader(keyOf(definition, next));
      const answer = isNew
        ? await call("POST", `${containerPath(place.database, place.container)}/docs`, { headers, body: typed })
        : await call("PUT", itemPath(place, item.id), { headers: { ...keyHeader(key), "if-match": stored.etag }, body: typed });
      stored = { text: answer.text, etag: answer.headers.get("etag"), charge: answer.charge, did: "saved for" };
      toast(`Saved, ${numberText(answer.charge)} RU.`);
      describe();
      onsaved();
    } catch (error) {
      if (error.status === 412) await conflict(typed);
      else if (error.status === 404 && !isNew) problem.textContent = DELETED;
      else problem.textContent = error.message;
    }
  }

  // Somebody else saved meanwhile: nothing is overwritten before both versions were seen.
  async function conflict(typed) {
    let now;
    try {
      now = await read();
    } catch (error) {
      problem.textContent = error.status === 404 ? DELETED : error.message;
      return;
    }
    const both = element("div", { class: "stack" }, element("p", {}, "The item was changed meanwhile. Yours is not saved yet."),
      diff(typed, shownText(now.text), { leftTitle: "Yours", rightTitle: "Stored now" }));
    const chosen = await dialog("Two versions", both, { isWide: true, actions: [
      { label: "Go on editing", run: () => "edit" }, { label: "Take the stored one", run: () => "theirs" }, { label: "Save mine over it", kind: "primary", run: () => "mine" }] });
    if (chosen === "theirs") {
      stored = now;
      code.setValue(shownText(now.text));
      describe();
    } else if (chosen === "mine") {
      stored = { ...stored, etag: now.etag };
      await save();
    }
  }

  async function remove() {
    const body = element("p", {}, "The item is removed from the container. Where versions are kept, it can still be seen as it was.");
    const done = await confirmDialog(`Delete '${item.id}'?`, body, { run: () => call("DELETE", itemPath(place, item.id), { headers: { ...keyHeader(key), "if-match": stored.etag } }) });
    if (!done) return;
    toast(`'${item.id}' is deleted.`);
    onclosed();
    onsaved();
  }

  async function showVersions() {
    if (past.childElementCount > 0) {
      past.replaceChildren();
      return;
    }
    try {
      past.replaceChildren(await versionsPanel({ place, id: item.id, key, onuse: isReadOnly ? null : (text) => { code.setValue(text); check(); code.focus(); } }));
      past.scrollIntoView({ block: "nearest" });
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  function describe() {
    const fields = JSON.parse(stored.text);
    about.textContent = isNew && !stored.etag ? "Not saved yet."
      : [stored.charge ? `${stored.did ?? "point read"} ${numberText(stored.charge)} RU` : "as it was", `${numberText(new Blob([stored.text]).size)} bytes`, fields._etag && `etag ${fields._etag}`].filter(Boolean).join(" · ");
  }

  describe();
  // The id has a line of its own: beside the buttons it would be cut off in a narrow pane.
  const head = element("div", { class: "toolbar" },
    element("h2", { class: "grow truncate" }, isNew ? "New item" : item.id),
    button("Close item", { icon: "close", kind: "quiet", onlyIcon: true, onclick: onclosed }));
  const tools = element("div", { class: "toolbar" },
    !isReadOnly && button("Save", { kind: "primary", icon: "check", id: "save-item", onclick: save }),
    button("Format", { onclick: () => { if (check()) code.setValue(layOutJson(code.value())); } }),
    !isReadOnly && !isNew && button("Delete item", { icon: "trash", kind: "danger", onlyIcon: true, onclick: remove }),
    !isNew && button("Versions", { icon: "history", id: "item-versions", onclick: showVersions }));
  return element("div", { class: "stack fill view" }, head, tools, about, code.node, problem, past);
}

// The text without the properties that the server sets; the last comma goes with them.
function withoutSystem(text) {
  const lines = text.split("\n").filter((line) => !(SYSTEM.test(line) && /^ {2}"/.test(line)));
  const last = lines.length - 2;
  if (last >= 0) lines[last] = lines[last].replace(/,$/, "");
  return lines.join("\n");
}
