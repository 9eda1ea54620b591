// All tenants with what they have; new ones, and dropping one.

import { button, field } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { confirmDialog, dialog, emptyState, reloadInto, toast } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";
import { timeAgo } from "/_kit/time.js";
import { timeOf } from "./position.js";
import { of, services } from "./tenant.js";

// Numbers are counted by reading, so only so many tenants have theirs at once.
const COUNTED_MAX = 50;
const list = element("div", { id: "tenants" });

export function shown(panel) {
  panel.replaceChildren(
    element("div", { class: "row apart" }, element("h1", {}, "Tenants"), button("Register a tenant", { icon: "plus", kind: "primary", id: "register", onclick: register })),
    list);
  reload();
}

function reload() {
  return reloadInto(list, async () => {
    const names = await services();
    if (names.length === 0) return emptyState("No tenants", "A tenant is here with its first event, or when it is registered.", { icon: "users" });
    const counted = await Promise.all(names.slice(0, COUNTED_MAX).map((name) => call("GET", `${of(name)}/stats`)));
    const others = names.slice(COUNTED_MAX);
    return element("div", { class: "stack" }, counted.map(card),
      others.length > 0 && element("section", { class: "card stack", "aria-label": "More tenants" }, element("h2", {}, `${integerText(others.length)} more`),
        element("ul", {}, others.map((name) => element("li", {}, element("a", { href: addressOf("events", name) }, name))))));
  });
}

const figure = (label, ...value) => element("div", {}, element("dl", {}, element("dt", {}, label), element("dd", {}, ...value)));

function card({ serviceId, events, tags, states, lastSortableUniqueId }) {
  const last = lastSortableUniqueId ? timeAgo(timeOf(lastSortableUniqueId)) : "none";
  return element("section", { class: "card stack", "data-tenant": serviceId, "aria-label": serviceId },
    element("div", { class: "row apart" }, element("h2", {}, element("a", { href: addressOf("events", serviceId) }, serviceId)),
      button("Drop", { kind: "danger", icon: "trash", onclick: () => drop(serviceId) })),
    element("div", { class: "figures" }, figure("Events", integerText(events)), figure("Tags", integerText(tags)), figure("States", integerText(states)),
      figure("Last event", element("small", {}, last))));
}

async function register() {
  const name = field("Tenant", element("input", { class: "input", name: "service", required: true, maxlength: 64 }), { hint: "Letters a to z, digits and -, at most 64." });
  const run = async () => {
    try {
      await call("POST", "/admin/v1/services", { serviceId: name.input.value.trim() });
    } catch (error) {
      throw new Error(error.fields?.[0]?.message ?? error.message);
    }
    return true;
  };
  if (await dialog("Register a tenant", name.node, { actions: [{ label: "Cancel", value: null }, { label: "Register", kind: "primary", run }] })) reload();
}

async function drop(name) {
  const again = field("Name of the tenant", element("input", { class: "input", name: "again", autocomplete: "off" }));
  const body = element("div", { class: "stack" }, element("p", {}, `Delete all events, tags and states of ${name}? This cannot be undone.`), again.node);
  const done = await confirmDialog(`Drop ${name}`, body, {
    label: "Drop",
    run: async () => {
      if (again.input.value !== name) throw new Error(`Write ${name} to confirm.`);
      return call("DELETE", of(name));
    },
  });
  if (!done) return;
  toast(`${integerText(done.deleted)} ${done.deleted === 1 ? "item" : "items"} deleted.`);
  reload();
}
