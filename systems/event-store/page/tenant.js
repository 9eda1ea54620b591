// Which tenant a section shows: part of the address, and kept while the browser is open.

import { field } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { emptyState, errorState } from "/_kit/feedback.js";
import { addressOf } from "/_kit/frame.js";
import { call } from "/_kit/session.js";

const KEPT = "event-store-tenant";

export const of = (tenant, ...rest) => `/admin/v1/services/${[tenant, ...rest].map(encodeURIComponent).join("/")}`;
export const services = async () => (await call("GET", "/admin/v1/services")).services;

// Calls `show(tenant)` with the tenant of the address. Without one it goes on to the last or the first tenant.
export async function withTenant(panel, section, named, show) {
  if (named) {
    sessionStorage.setItem(KEPT, named);
    show(named);
    return;
  }
  try {
    const all = await services();
    const kept = sessionStorage.getItem(KEPT);
    const tenant = all.includes(kept) ? kept : all[0];
    if (tenant) location.replace(addressOf(section, tenant));
    else panel.replaceChildren(element("h1", {}, "Event store"), emptyState("No tenants", "A tenant is here with its first event.", { icon: "users" }));
  } catch (error) {
    panel.replaceChildren(errorState(error, () => withTenant(panel, section, named, show)));
  }
}

// A field that changes to another tenant in the same section.
export function tenantField(section, tenant) {
  const select = element("select", { class: "input", name: "tenant", onchange: () => { location.hash = addressOf(section, select.value); } },
    element("option", { value: tenant }, tenant));
  services().then((all) => {
    const options = all.includes(tenant) ? all : [tenant, ...all];
    select.replaceChildren(...options.map((name) => element("option", { value: name, selected: name === tenant }, name)));
  }, () => {});
  return field("Tenant", select).node;
}
