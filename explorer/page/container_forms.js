// The settings of a container in a form; before they are applied, what will change and what it means.

import { button } from "/_kit/control.js";
import { diff } from "/_kit/diff.js";
import { element } from "/_kit/element.js";
import { dialog, notice, toast } from "/_kit/feedback.js";
import { schemaForm } from "/_kit/form.js";
import { call, containerPath, feed, json } from "./api.js";
import { policyPrice } from "./index_cost.js";

export async function containerSettings({ place, isReadOnly }) {
  const path = containerPath(place.database, place.container);
  const holder = element("div", { class: "page" });
  const problem = element("p", { class: "problem", role: "alert", id: "settings-problem" });
  let about;
  let offer;

  async function load() {
    about = await json("GET", path);
    offer = (await feed("/offers", "Offers")).find((one) => one.offerResourceId === about._rid) ?? null;
    holder.replaceChildren(...content());
  }

  function content() {
    const autoscale = offer?.content.offerAutopilotSettings?.maxThroughput;
    const form = schemaForm({
      properties: {
        ...(offer ? {
          kind: { title: "Throughput", enum: ["manual", "autoscale"], titles: { manual: "Manual", autoscale: "Autoscale" } },
          throughput: { title: "Request units per second", type: "integer", minimum: 400, multipleOf: 100, description: "For autoscale the most that may be used." },
        } : {}),
        ttl: { title: "Time to live", type: "integer", minimum: -1, description: "Seconds after the last change of an item until it expires. -1: only items with a ttl of their own expire. Empty: nothing expires." },
        indexingPolicy: { title: "Indexing policy", format: "json", rows: 12, description: "Which paths are indexed. Each indexed path adds to the charge of every write." },
        computedProperties: { title: "Computed properties", format: "json", rows: 4, description: 'Such as [{"name": "cLower", "query": "SELECT VALUE LOWER(c.name) FROM c"}].' },
      },
    }, { kind: autoscale ? "autoscale" : "manual", throughput: autoscale ?? offer?.content.offerThroughput, ttl: about.defaultTtl, indexingPolicy: about.indexingPolicy, computedProperties: about.computedProperties ?? [] });
    const pairs = (label, value) => [element("dt", {}, label), element("dd", { class: "mono" }, value)];
    return [
      element("h1", {}, `Settings of ${place.container}`),
      element("div", { class: "card" }, element("dl", { class: "pairs" },
        ...pairs("Partition key", about.partitionKey.paths.join(", ")),
        ...pairs("Unique keys", (about.uniqueKeyPolicy?.uniqueKeys ?? []).map((key) => key.paths.join(", ")).join("; ") || "none"),
        ...pairs("Resource id", about._rid)),
      element("p", { class: "hint" }, "Partition key and unique keys are fixed at creation. ", element("code", {}, "planisphere copy"), " moves the items to a container with others.")),
      element("div", { class: "card stack" }, form.node, isReadOnly ? null : element("div", { class: "row" }, button("Review the change", { kind: "primary", id: "review", onclick: () => review(form) })), problem),
    ];
  }

  // The container as the form wants it, and the offer.
  function wanted(value) {
    const next = { ...about };
    for (const name of Object.keys(next)) if (name.startsWith("_")) delete next[name];
    delete next.defaultTtl;
    if (value.ttl !== undefined) next.defaultTtl = value.ttl;
    if (value.indexingPolicy) next.indexingPolicy = value.indexingPolicy;
    delete next.computedProperties;
    if (value.computedProperties?.length) next.computedProperties = value.computedProperties;
    return next;
  }

  async function review(form) {
    problem.textContent = "";
    const value = form.read();
    if (!value) return;
    const next = wanted(value);
    const before = wanted({ ttl: about.defaultTtl, indexingPolicy: about.indexingPolicy, computedProperties: about.computedProperties });
    const wasAutoscale = Boolean(offer?.content.offerAutopilotSettings);
    const had = offer?.content.offerAutopilotSettings?.maxThroughput ?? offer?.content.offerThroughput;
    const hasOffer = offer && (value.throughput !== had || (value.kind === "autoscale") !== wasAutoscale);
    const isChanged = JSON.stringify(next) !== JSON.stringify(before);
    if (!isChanged && !hasOffer) {
      toast("Nothing was changed.");
      return;
    }
    let planned;
    try {
      planned = await consequences(before, next, value, hasOffer);
    } catch (error) {
      // Where it happened; everything typed stays in the form.
      problem.textContent = error.message;
      return;
    }
    const text = (one) => JSON.stringify(one, null, 2);
    const done = await dialog("What this change does", element("div", { class: "stack", id: "plan" }, ...planned.notices, isChanged && diff(text(before), text(next), { leftTitle: "Now", rightTitle: "After" })), {
      isWide: true, actions: [{ label: "Cancel", value: null }, planned.isPossible && { label: "Apply", kind: "primary", run: async () => {
        if (isChanged) await call("PUT", path, { body: next, headers: { "if-match": about._etag } });
        if (hasOffer) await replaceOffer(value, wasAutoscale);
        return true;
      } }].filter(Boolean),
    });
    if (!done) return;
    toast("The settings are changed.");
    await load();
  }

  // The plan of `schema plan` for the change, and the price of another indexing policy.
  async function consequences(before, next, value, hasOffer) {
    const throughput = hasOffer ? { [value.kind]: value.throughput } : null;
    const route = `/_planisphere/plan/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}`;
    const { changes, obstacles } = await json("POST", route, { body: { container: next, throughput } });
    const words = (one) => element("span", {}, element("strong", {}, one.property), `: ${one.differences.join("; ")}`);
    const kind = (one) => (/^[1-9].* expire /.test(one.effect ?? "") ? "bad" : one.effect ? "warn" : "");
    const out = [
      ...changes.map((one) => notice(kind(one), words(one), one.effect && element("span", {}, `${one.effect}.`))),
      ...obstacles.map((one) => notice("bad", words(one), element("span", {}, `${one.reason}. `, element("code", {}, one.workaround))))];
    const has = (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(next[name] ?? null);
    if (has("computedProperties")) out.push(notice("warn", "Computed properties are evaluated anew for every item, and indexed where the policy includes them."));
    if (has("indexingPolicy")) out.push(await policyPrice(place, next.indexingPolicy));
    return { notices: out, isPossible: obstacles.length === 0 };
  }

  async function replaceOffer(value, wasAutoscale) {
    const isAutoscale = value.kind === "autoscale";
    const offerPath = `/offers/${encodeURIComponent(offer.id)}`;
    if (isAutoscale !== wasAutoscale) {
      const header = isAutoscale ? "x-ms-cosmos-migrate-offer-to-autopilot" : "x-ms-cosmos-migrate-offer-to-manual-throughput";
      offer = await json("PUT", offerPath, { body: offer, headers: { [header]: "true" } });
    }
    const content = isAutoscale ? { offerThroughput: -1, offerAutopilotSettings: { maxThroughput: value.throughput } } : { offerThroughput: value.throughput };
    await call("PUT", offerPath, { body: { ...offer, content } });
  }

  await load();
  return { node: holder };
}
