// Scripts of a container and users of a database with their permissions: creating, editing and deleting.

import { button, field } from "/_kit/control.js";
import { editor } from "/_kit/editor.js";
import { element } from "/_kit/element.js";
import { confirmDialog, dialog, emptyState, toast } from "/_kit/feedback.js";
import { schemaForm } from "/_kit/form.js";
import { call, containerPath, databasePath, feed } from "./api.js";

// What an id may be, for all forms.
export const ID = { type: "string", title: "Id", pattern: "^[^/\\\\?#]{1,255}$", patternText: "An id has 1 to 255 characters and none of / \\ ? #." };

// [segment of the path, name of one, name of many, name in a feed, first text]
export const SCRIPTS = [
  ["sprocs", "stored procedure", "Stored procedures", "StoredProcedures", "function run(name) {\n  getContext().getResponse().setBody(`Hello ${name}`);\n}"],
  ["triggers", "trigger", "Triggers", "Triggers", "function run() {\n  const request = getContext().getRequest();\n  request.setBody(request.getBody());\n}"],
  ["udfs", "function", "Functions", "UserDefinedFunctions", "function lower(text) {\n  return text.toLowerCase();\n}"],
];

const HINTS = {
  sprocs: "Runs in one transaction on one logical partition; getContext() is the container, the request and the response.",
  triggers: "Runs with the writes whose request names it, in their transaction.",
  udfs: "Called in queries as udf.id(...), once for each item that is read; it never uses an index.",
};

// A form for a script; `script` is null for a new one. Resolves to whether something was changed.
export async function editScript(place, segment, script) {
  const [, one, , , first] = SCRIPTS.find(([name]) => name === segment);
  const path = `${containerPath(place.database, place.container)}/${segment}`;
  const isTrigger = segment === "triggers";
  const form = schemaForm({
    required: script ? [] : ["id"],
    properties: {
      ...(script ? {} : { id: ID }),
      ...(isTrigger ? {
        triggerType: { title: "Runs", enum: ["Pre", "Post"], titles: { Pre: "before the write", Post: "after the write" } },
        triggerOperation: { title: "On", enum: ["All", "Create", "Replace", "Upsert", "Delete", "Update"] },
      } : {}),
    },
  }, script ?? {});
  const code = editor("Text", { language: "text", value: script?.body ?? first });
  code.node.classList.add("script-text");
  const send = async () => {
    const value = form.read();
    if (!value) return false;
    const body = { ...value, id: script?.id ?? value.id, body: code.value() };
    if (script) await call("PUT", `${path}/${encodeURIComponent(script.id)}`, { body, headers: script._etag ? { "if-match": script._etag } : {} });
    else await call("POST", path, { body });
    toast(`The ${one} '${body.id}' is saved.`);
    return true;
  };
  return dialog(script ? `The ${one} '${script.id}'` : `New ${one}`, element("div", { class: "stack" }, form.node, code.node,
    element("p", { class: "hint" }, HINTS[segment])),
  { isWide: true, actions: [{ label: "Cancel", value: null }, { label: "Save", kind: "primary", run: send }] });
}

export async function deleteScript(place, segment, id) {
  const [, one] = SCRIPTS.find(([name]) => name === segment);
  const path = `${containerPath(place.database, place.container)}/${segment}/${encodeURIComponent(id)}`;
  const done = await confirmDialog(`Delete the ${one} '${id}'?`, element("p", {}, "Clients that name it will be refused. This cannot be undone."), { run: () => call("DELETE", path) });
  if (done) toast(`The ${one} '${id}' is deleted.`);
  return done;
}

export async function createUser(database) {
  const form = schemaForm({ required: ["id"], properties: { id: ID } });
  return dialog(`New user in ${database}`, element("div", { class: "stack" }, form.node, element("p", { class: "hint" }, "A user is a name for permissions. Each permission has a token that opens one container.")), { actions: [{ label: "Cancel", value: null }, { label: "Create", kind: "primary", run: async () => {
    const value = form.read();
    if (!value) return false;
    await call("POST", `${databasePath(database)}/users`, { body: value });
    toast(`The user '${value.id}' is created.`);
    return value;
  } }] });
}

export async function renameUser(database, id) {
  const form = schemaForm({ required: ["id"], properties: { id: ID } }, { id });
  return dialog(`Rename the user '${id}'`, form.node, { actions: [{ label: "Cancel", value: null }, { label: "Rename", kind: "primary", run: async () => {
    const value = form.read();
    if (!value) return false;
    await call("PUT", `${databasePath(database)}/users/${encodeURIComponent(id)}`, { body: value });
    toast(`The user is now '${value.id}'.`);
    return value;
  } }] });
}

export async function deleteUser(database, id) {
  const path = `${databasePath(database)}/users/${encodeURIComponent(id)}`;
  const permissions = await feed(`${path}/permissions`, "Permissions");
  const body = element("p", {}, permissions.length === 0 ? "The user has no permission." : `${permissions.length} permissions end with it, and their tokens: ${permissions.map((one) => one.id).join(", ")}.`);
  const done = await confirmDialog(`Delete the user '${id}'?`, body, { run: () => call("DELETE", path) });
  if (done) toast(`The user '${id}' is deleted.`);
  return done;
}

// The permissions of a user; tokens are shown on demand only.
export async function showUser(database, id, isReadOnly) {
  const path = `${databasePath(database)}/users/${encodeURIComponent(id)}/permissions`;
  const list = element("ul", { class: "stack tight", id: "permissions" });
  const containers = await feed(`${databasePath(database)}/colls`, "DocumentCollections");
  const name = field("Permission", element("input", { class: "input", autocomplete: "off" }));
  const mode = field("Access", element("select", { class: "input" }, element("option", { value: "Read" }, "reads"), element("option", { value: "All" }, "reads and writes")));
  const target = field("Container", element("select", { class: "input" }, ...containers.map((one) => element("option", { value: `dbs/${database}/colls/${one.id}` }, one.id))));
  const load = async () => {
    const found = await feed(path, "Permissions");
    list.replaceChildren(...found.map((one) => {
      const token = element("code", { class: "small token", hidden: true }, one._token ?? "");
      return element("li", { class: "row" }, element("span", { class: "strong" }, one.id), element("span", { class: "tag" }, one.permissionMode === "All" ? "reads and writes" : "reads"), element("code", { class: "grow truncate" }, one.resource),
        button("Token", { icon: "eye", "aria-label": `Token of ${one.id}`, onclick: () => { token.hidden = !token.hidden; } }),
        !isReadOnly && button("Delete permission", { icon: "trash", kind: "danger", onlyIcon: true, "aria-label": `Delete the permission ${one.id}`, onclick: () => call("DELETE", `${path}/${encodeURIComponent(one.id)}`).then(load, fail) }), token);
    }));
    if (found.length === 0) list.append(emptyState("No permission", "A permission gives a token for one container.", { icon: "shield" }));
  };
  const fail = (error) => name.showProblem(error.message);
  const add = button("Add", { icon: "plus", onclick: async () => {
    name.showProblem("");
    try {
      await call("POST", path, { body: { id: name.input.value.trim(), permissionMode: mode.input.value, resource: target.input.value } });
      name.input.value = "";
      await load();
    } catch (error) {
      fail(error);
    }
  } });
  await load();
  return dialog(`The user '${id}'`, element("div", { class: "stack" }, list, !isReadOnly && element("div", { class: "stack tight" }, name.node, element("div", { class: "columns" }, mode.node, target.node), element("div", { class: "row" }, add))), { isWide: true });
}
