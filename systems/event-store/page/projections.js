// Projections of a tenant: how far they are, as numbers and over time, and rebuilding one.

import { button } from "/_kit/control.js";
import { element, integerText } from "/_kit/element.js";
import { confirmDialog, errorState, toast } from "/_kit/feedback.js";
import { linePlot } from "/_kit/plot.js";
import { call } from "/_kit/session.js";
import { of, tenantField, withTenant } from "./tenant.js";

const EVERY_MS = 1_000;
const SAMPLES_MAX = 180;
const TONES = { live: "good", catchingup: "warn", starting: "accent" };
const WORDS = { live: "live", catchingup: "catching up", starting: "starting" };
// By tenant and projector, so that the plot goes on when the section is shown again.
const samples = new Map();
let timer = 0;
let visit = 0;

export function left() {
  clearTimeout(timer);
  visit += 1;
}

export function shown(panel, [tenant]) {
  withTenant(panel, "projections", tenant, (name) => {
    left();
    const place = element("div", { class: "stack", id: "projections" });
    panel.replaceChildren(element("h1", {}, "Projections"), element("div", { class: "row filters" }, tenantField("projections", name)), place);
    follow(place, name, visit);
  });
}

async function follow(place, tenant, mine) {
  try {
    const { items } = await call("GET", `${of(tenant)}/projections`);
    if (mine !== visit) return;
    for (const status of items) keep(tenant, status);
    place.replaceChildren(...items.map((status) => card(tenant, status, () => follow(place, tenant, mine))));
  } catch (error) {
    if (mine !== visit) return;
    place.replaceChildren(errorState(error, () => follow(place, tenant, mine)));
    return;
  }
  clearTimeout(timer);
  timer = setTimeout(() => follow(place, tenant, mine), EVERY_MS);
}

const keyOf = (tenant, { name, version }) => `${tenant}/${name}/${version}`;

function keep(tenant, status) {
  const key = keyOf(tenant, status);
  const all = samples.get(key) ?? [];
  all.push({ at: Date.now(), latest: status.eventsProcessed, safe: status.safeEventsProcessed, lag: status.lag ?? 0 });
  samples.set(key, all.slice(-SAMPLES_MAX));
}

const figure = (label, value) => element("div", {}, element("dl", {}, element("dt", {}, label), element("dd", {}, value)));

function card(tenant, status, again) {
  const past = samples.get(keyOf(tenant, status)) ?? [];
  const series = (label, value) => ({ label, points: past.map((one) => [one.at, value(one)]) });
  return element("section", { class: "card stack", "data-projection": status.name, "aria-label": status.name },
    element("div", { class: "row apart" },
      element("div", { class: "row" }, element("h2", {}, status.name), element("span", { class: `tag ${TONES[status.phase] ?? ""}`, "data-phase": status.phase }, WORDS[status.phase] ?? status.phase)),
      button("Rebuild", { icon: "refresh", onclick: () => rebuild(tenant, status.name, again) })),
    element("div", { class: "figures" }, figure("Version", status.version), figure("Events", integerText(status.eventsProcessed)),
      figure("Safe", integerText(status.safeEventsProcessed)), figure("Behind", integerText(status.lag ?? 0))),
    past.length > 1 && linePlot("Progress", [series("events", (one) => one.latest), series("safe", (one) => one.safe), series("behind", (one) => one.lag)], { unit: "events" }));
}

async function rebuild(tenant, name, again) {
  const done = await confirmDialog(`Rebuild ${name}`, element("p", {}, `Project all events of ${tenant} again? Queries see the new state while it grows.`), {
    label: "Rebuild", isDanger: false,
    run: async () => {
      await call("POST", of(tenant, "projections", name, "rebuild"));
      return true;
    },
  });
  if (!done) return;
  toast(`${name} is rebuilt.`);
  again();
}
