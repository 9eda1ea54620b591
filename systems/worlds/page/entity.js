// One entity: its fields, the form of its schema, and what can be done with it.

import { button, field } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { confirmDialog, dialog, errorState, loadingState, notice, toast } from "/_kit/feedback.js";
import { schemaForm } from "/_kit/form.js";
import { call } from "/_kit/session.js";
import { api, entityPath, worldPath } from "./calls.js";

let types = [];
let schemas = [];

export async function prepare() {
  [types, schemas] = await Promise.all([api("GET", "/entity-types").then(({ data }) => data), api("GET", "/schemas").then(({ data }) => data)]);
}

export const iconOf = (name) => types.find((one) => one.name === name)?.icon ?? "•";

// The types that may be nested in an entity of this type.
export function typesInside(parent) {
  const group = types.find((one) => one.name === parent)?.group ?? "";
  const allows = (token) => token === parent || token === `@${group}` || (token === "*" && group !== "Other");
  return types.filter((one) => one.allowedParents.some(allows)).map((one) => one.name);
}

// Shows an entity; `changed(id)` is called after each change, with the entity to show then.
export async function show(place, world, id, changed) {
  place.replaceChildren(loadingState());
  try {
    const { data, etag } = await api("GET", entityPath(world, id));
    place.replaceChildren(await view(world, data, etag, changed));
  } catch (error) {
    place.replaceChildren(errorState(error, () => show(place, world, id, changed)));
  }
}

async function view(world, entity, etag, changed) {
  const name = field("Name", element("input", { class: "input", value: entity.name, maxlength: "200", id: "entity-name" }));
  const description = field("Description", element("textarea", { class: "input", rows: "6", maxlength: "5000" }), { hint: "Markdown" });
  description.input.value = entity.description ?? "";
  const tags = field("Tags", element("input", { class: "input", value: entity.tags.join(", ") }), { hint: "Separated by commas" });
  const properties = await propertyForms(entity);
  const problem = element("p", { class: "problem", role: "alert" });
  const save = async () => {
    problem.textContent = "";
    const bags = properties.read();
    if (bags === null) return;
    const change = { name: name.input.value, description: description.input.value, tags: split(tags.input.value), ...bags };
    try {
      const saved = await api("PATCH", entityPath(world, entity.id), change, { "if-match": etag });
      toast(["Saved", ...saved.warnings].join(". "));
      changed(entity.id);
    } catch (error) {
      problem.textContent = error.status === 412 ? "Somebody else changed it meanwhile. Open it again to see the new state." : error.message;
      for (const { field: wrong, message } of error.fields ?? []) if (wrong === "name") name.showProblem(message);
    }
  };
  const isWorld = entity.parentId === null;
  return element("article", { class: "card stack", "aria-label": entity.name },
    element("p", { class: "crumbs" }, entity.path.join(" › ")),
    element("h1", { id: "entity-title" }, `${iconOf(entity.entityType)} ${entity.name}`),
    element("p", { class: "soft" }, `${entity.entityType}, level ${entity.depth}`),
    name.node, description.node, tags.node, properties.node, problem,
    element("div", { class: "row" },
      button("Save", { kind: "primary", id: "save", onclick: save }),
      button("Add inside", { icon: "plus", id: "add", onclick: () => add(world, entity, changed) }),
      !isWorld && button("Move", { icon: "share", id: "move", onclick: () => chooseParent(world, entity, changed) }),
      !isWorld && button("Delete", { icon: "trash", kind: "danger", id: "delete", onclick: () => remove(world, entity, changed) })));
}

const split = (text) => text.split(",").map((one) => one.trim()).filter(Boolean);

// The form of the schema of an entity; without a schema nothing.
async function propertyForms(entity) {
  const schema = schemas.find((one) => one.id === entity.schemaId);
  if (!schema) return { node: null, read: () => ({}) };
  const document = await call("GET", `/api/v1/schemas/${encodeURIComponent(schema.id)}/json-schema`);
  const part = (bag) => {
    const rules = structuredClone(document.properties[bag]);
    for (const rule of Object.values(rules.properties)) if (["object", "array"].includes(rule.type)) rule.format = "json";
    return schemaForm(rules, entity[bag] ?? {});
  };
  const [common, system] = [part("properties"), part("systemProperties")];
  const read = () => {
    const [properties, systemProperties] = [common.read(), system.read()];
    return properties && systemProperties ? { properties: { ...entity.properties, ...properties }, systemProperties: { ...entity.systemProperties, ...systemProperties } } : null;
  };
  return { node: element("fieldset", { class: "stack" }, element("legend", {}, schema.Name), common.node, system.node), read };
}

function add(world, parent, changed) {
  const allowed = typesInside(parent.entityType);
  const kind = field("Type", element("select", { class: "input", id: "new-type" }, ...allowed.map((one) => element("option", { value: one }, `${iconOf(one)} ${one}`))));
  const name = field("Name", element("input", { class: "input", id: "new-name", maxlength: "200" }));
  const own = schemas.map((one) => element("option", { value: one.id }, one.Name));
  const schema = field("Schema", element("select", { class: "input", id: "new-schema" }, element("option", { value: "" }, "None"), ...own));
  const body = element("div", { class: "stack" }, kind.node, name.node, schema.node);
  const run = async () => {
    const draft = { parentId: parent.id, entityType: kind.input.value, name: name.input.value, schemaId: schema.input.value || undefined };
    const created = await api("POST", worldPath(world, "/entities"), draft);
    toast(["Created", ...created.warnings].join(". "));
    changed(created.data.id);
    return true;
  };
  return dialog(`New in ${parent.name}`, body, { actions: [{ label: "Cancel", value: null }, { label: "Create", kind: "primary", run }] });
}

async function remove(world, entity, changed) {
  const { data: { count } } = await api("GET", entityPath(world, entity.id, "/children/count"));
  const text = count > 0 ? notice("warn", `${count} entities are nested directly in it. They are deleted too, with everything in them.`) : "It goes to the trash.";
  const run = async () => {
    await api("DELETE", `${entityPath(world, entity.id)}?cascade=${count > 0}`);
    const undo = { label: "Undo", run: () => restore(world, entity.id, changed) };
    toast(`${entity.name} is in the trash`, { action: undo });
    changed(entity.parentId);
    return true;
  };
  return confirmDialog(`Delete ${entity.name}?`, text, { run });
}

export async function restore(world, id, changed, parents = "refuse") {
  try {
    await api("POST", worldPath(world, `/deleted/${encodeURIComponent(id)}/restore`), { withDescendants: true, parents });
    toast("Restored");
    changed(id);
  } catch (error) {
    if (error.status !== 409 || parents !== "refuse") return toast(error.message, { isBad: true });
    const choice = await dialog("Its parent is deleted", "Where should it go?", { actions: [
      { label: "Cancel", value: null }, { label: "Into the World", value: "world" }, { label: "Restore its parents", kind: "primary", value: "restore" },
    ] });
    if (choice) await restore(world, id, changed, choice);
  }
}

// Moves an entity by names, for those who do not drag.
function chooseParent(world, entity, changed) {
  const name = field("New parent", element("input", { class: "input", id: "new-parent", autocomplete: "off" }), { hint: "A part of its name" });
  const run = async () => {
    const { data } = await api("GET", worldPath(world, `/search?limit=2&q=${encodeURIComponent(name.input.value)}`));
    if (data.length !== 1) throw new Error(data.length === 0 ? "Nothing has this name." : "More than one entity has this in its name. Write more of it.");
    await move(world, entity.id, data[0].id, changed);
    return true;
  };
  return dialog(`Move ${entity.name}`, name.node, { actions: [{ label: "Cancel", value: null }, { label: "Move", kind: "primary", run }] });
}

// Moves an entity; the rule that refuses is shown.
export async function move(world, id, parent, changed) {
  try {
    const moved = await api("POST", entityPath(world, id, "/move"), { newParentId: parent });
    toast(["Moved", ...moved.warnings].join(". "));
    changed(id);
  } catch (error) {
    toast(error.message, { isBad: true });
  }
}
