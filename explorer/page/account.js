// The tree of the account: databases, containers and what is in them; creating and deleting, with what it means.

import { button } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { confirmDialog, dialog, menuButton, toast } from "/_kit/feedback.js";
import { schemaForm } from "/_kit/form.js";
import { tree } from "/_kit/tree.js";
import { call, containerPath, databasePath, feed, json } from "./api.js";
import { isRunnable, runScript } from "./script_run.js";
import { createUser, deleteScript, deleteUser, editScript, ID, renameUser, SCRIPTS, showUser } from "./scripts.js";

export function accountTree(pane, { isReadOnly, onplace }) {
  const made = tree("Databases", [], { onselect: (node) => node.open?.() });
  const reload = async () => {
    try {
      made.setRoots((await feed("/dbs", "Databases")).map(database));
      if (made.node.childElementCount === 0) made.node.append(element("li", { class: "branch faint small", role: "none" }, "No database yet."));
    } catch (error) {
      if (error.status !== 401) toast(error.message, { isBad: true });
    }
  };
  const tools = element("div", { class: "row" },
    !isReadOnly && button("New database", { icon: "plus", kind: "quiet", onlyIcon: true, id: "new-database", onclick: createDatabase }),
    button("Refresh", { icon: "refresh", kind: "quiet", onlyIcon: true, onclick: reload }));
  pane.append(element("div", { class: "toolbar" }, element("h2", {}, "Databases"), tools), element("div", { class: "scroll" }, made.node));

  const menu = (label, items) => () => (isReadOnly ? null : menuButton(label, items, { tabindex: "-1" }));

  function database({ id }) {
    return {
      id: `db:${id}`, label: id, icon: "database", emptyText: "No container yet.",
      menu: menu(`Actions of ${id}`, [
        { label: "New container", icon: "plus", run: () => createContainer(id) },
        { label: "Delete database", icon: "trash", isDanger: true, run: () => deleteDatabase(id) }]),
      children: async () => [
        ...(await feed(`${databasePath(id)}/colls`, "DocumentCollections")).map((one) => container(id, one.id)),
        { id: `users:${id}`, label: "Users", icon: "users", emptyText: "No user yet.", children: () => users(id),
          menu: menu(`Actions of the users of ${id}`, [{ label: "New user", icon: "plus", run: () => changed(`users:${id}`, createUser(id)) }]) }],
    };
  }

  function container(database, id) {
    const place = { database, container: id };
    const leaf = (section, label, icon) => ({ id: `${section}:${database}/${id}`, label, icon, open: () => onplace(place, section) });
    return {
      id: `coll:${database}/${id}`, label: id, icon: "container", open: () => onplace(place, "items"),
      menu: menu(`Actions of ${id}`, [
        { label: "Settings", icon: "settings", run: () => onplace(place, "settings") },
        { label: "Delete container", icon: "trash", isDanger: true, run: () => deleteContainer(place) }]),
      children: async () => [leaf("items", "Items", "item"), leaf("queries", "Queries", "query"), leaf("settings", "Settings", "settings"),
        { id: `scripts:${database}/${id}`, label: "Scripts", icon: "script", emptyText: "No script.", children: () => scripts(place),
          menu: menu(`Actions of the scripts of ${id}`, SCRIPTS.map(([segment, one]) => ({ label: `New ${one}`, icon: "plus", run: () => changed(`scripts:${database}/${id}`, editScript(place, segment, null)) }))) }],
    };
  }

  const users = async (id) => (await feed(`${databasePath(id)}/users`, "Users")).map((user) => ({
    id: `user:${id}/${user.id}`, label: user.id, icon: "user", open: () => showUser(id, user.id, isReadOnly).catch(fail),
    menu: menu(`Actions of the user ${user.id}`, [
      { label: "Permissions", icon: "shield", run: () => showUser(id, user.id, isReadOnly).catch(fail) },
      { label: "Rename", icon: "edit", run: () => changed(`users:${id}`, renameUser(id, user.id)) },
      { label: "Delete user", icon: "trash", isDanger: true, run: () => changed(`users:${id}`, deleteUser(id, user.id)) }]),
  }));

  async function scripts(place) {
    const branch = `scripts:${place.database}/${place.container}`;
    const kinds = await Promise.all(SCRIPTS.map(async ([segment, , label, name]) => {
      const found = await feed(`${containerPath(place.database, place.container)}/${segment}`, name);
      const edit = (script) => changed(branch, isReadOnly ? dialog(script.id, element("pre", { class: "code wrap", tabindex: "0" }, script.body ?? ""), { isWide: true }).then(() => null) : editScript(place, segment, script));
      return found.map((script) => ({
        id: `${segment}:${place.database}/${place.container}/${script.id}`, label: script.id, icon: "script", note: label, open: () => edit(script),
        menu: menu(`Actions of the script ${script.id}`, [{ label: "Edit", icon: "edit", run: () => edit(script) },
          ...(isRunnable(segment) ? [{ label: "Run", icon: "play", run: () => runScript(place, segment, script).catch(fail) }] : []),
          { label: "Delete script", icon: "trash", isDanger: true, run: () => changed(branch, deleteScript(place, segment, script.id)) }]),
      }));
    }));
    return kinds.flat();
  }

  const fail = (error) => toast(error.message, { isBad: true });
  // Loads a branch again if what was asked for has happened.
  async function changed(branch, done) {
    try {
      if (await done) await made.reload(branch);
    } catch (error) {
      fail(error);
    }
  }

  async function createDatabase() {
    const form = schemaForm({ required: ["id"], properties: { id: ID } });
    const done = await dialog("New database", form.node, { actions: [{ label: "Cancel", value: null }, { label: "Create", kind: "primary", run: async () => {
      const value = form.read();
      if (!value) return false;
      await call("POST", "/dbs", { body: { id: value.id } });
      return value;
    } }] });
    if (!done) return;
    await reload();
    toast(`The database '${done.id}' was created.`);
  }

  async function createContainer(database) {
    const form = schemaForm({
      required: ["id", "partitionKey"],
      properties: {
        id: ID,
        partitionKey: { title: "Partition key", type: "string", placeholder: "/customerId", description: "One path, or up to three separated by commas. Items with the same values are stored together; it cannot be changed later.", pattern: "^/[^,]+(\\s*,\\s*/[^,]+){0,2}$", patternText: "Write paths such as /customerId, or /tenant, /user." },
        kind: { title: "Throughput", enum: ["manual", "autoscale"], titles: { manual: "Manual", autoscale: "Autoscale" } },
        throughput: { title: "Request units per second", type: "integer", minimum: 400, multipleOf: 100, default: 400, description: "For autoscale the most that may be used, in steps of 1,000." },
        uniqueKeys: { title: "Unique keys", type: "array", rows: 2, description: "One key per line, such as /mail or /first, /last. Unique within a partition key; fixed at creation." },
      },
    });
    const done = await dialog(`New container in ${database}`, form.node, { actions: [{ label: "Cancel", value: null }, { label: "Create", kind: "primary", run: async () => {
      const value = form.read();
      if (!value) return false;
      const paths = value.partitionKey.split(",").map((one) => one.trim());
      const body = { id: value.id, partitionKey: { paths, kind: paths.length > 1 ? "MultiHash" : "Hash", version: 2 } };
      if (value.uniqueKeys?.length) body.uniqueKeyPolicy = { uniqueKeys: value.uniqueKeys.map((line) => ({ paths: line.split(",").map((one) => one.trim()) })) };
      const headers = value.kind === "autoscale" ? { "x-ms-cosmos-offer-autopilot-settings": JSON.stringify({ maxThroughput: value.throughput }) } : { "x-ms-offer-throughput": String(value.throughput) };
      await call("POST", `${databasePath(database)}/colls`, { body, headers });
      return value;
    } }] });
    if (!done) return;
    await made.reload(`db:${database}`);
    onplace({ database, container: done.id }, "items");
  }

  async function deleteDatabase(id) {
    const containers = await feed(`${databasePath(id)}/colls`, "DocumentCollections");
    const names = containers.map((one) => one.id);
    const body = element("p", {}, names.length === 0 ? "It has no container." : `${integerText(names.length)} containers and all their items are deleted: ${names.slice(0, 8).join(", ")}${names.length > 8 ? " …" : ""}. This cannot be undone.`);
    if (!(await confirmDialog(`Delete the database '${id}'?`, body, { run: () => call("DELETE", databasePath(id)) }))) return;
    await reload();
    toast(`The database '${id}' is deleted.`);
  }

  async function deleteContainer(place) {
    const path = containerPath(place.database, place.container);
    const { partitions } = await json("GET", `/_planisphere/partitions/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}`);
    const items = partitions.reduce((sum, one) => sum + one.items, 0);
    const body = element("p", {}, `${integerText(items)} items, their versions, their change feed and the scripts are deleted. This cannot be undone.`);
    if (!(await confirmDialog(`Delete the container '${place.container}'?`, body, { run: () => call("DELETE", path) }))) return;
    await made.reload(`db:${place.database}`);
    toast(`The container '${place.container}' is deleted.`);
  }

  reload();
  return { reload };
}
