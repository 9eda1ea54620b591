// The settings of a container in a form; before they are applied, what will change and what it means.

import { button } from "/_kit/control.js";
import { diff } from "/_kit/diff.js";
import { element, integerText } from "/_kit/element.js";
import { dialog, notice, toast } from "/_kit/feedback.js";
import { schemaForm } from "/_kit/form.js";
import { countItems } from "./account.js";
import { call, containerPath, feed, json } from "./api.js";

export async function containerSettings({ place, isReadOnly }) {
  const path = containerPath(place.database, place.container);
  const holder = element("div", { class: "page" });
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
      element("p", { class: "hint" }, "Partition key and unique keys are fixed at creation. `planisphere copy` moves the items to a container with others.")),
      element("div", { class: "card stack" }, form.node, isReadOnly ? null : element("div", { class: "row" }, button("Review the change", { kind: "primary", id: "review", onclick: () => review(form) }))),
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
    const meanings = await consequences(before, next, value, hasOffer ? had : null);
    const text = (one) => JSON.stringify(one, null, 2);
    const done = await dialog("What this change does", element("div", { class: "stack", id: "plan" }, ...meanings, isChanged && diff(text(before), text(next), { leftTitle: "Now", rightTitle: "After" })), {
      isWide: true, actions: [{ label: "Cancel", value: null }, { label: "Apply", kind: "primary", run: async () => {
        if (isChanged) await call("PUT", path, { body: next, headers: { "if-match": about._etag } });
        if (hasOffer) await replaceOffer(value, wasAutoscale);
        return true;
      } }],
    });
    if (!done) return;
    toast("The settings are changed.");
    await load();
  }

  async function consequences(before, next, value, had) {
    const out = [];
    const count = (where, parameters) => countItems(place, where, parameters).catch(() => null);
    if (before.defaultTtl !== next.defaultTtl) {
      if (next.defaultTtl > 0) {
        const limit = Math.floor(Date.now() / 1000) - next.defaultTtl;
        const expired = await count("c._ts <= @limit AND NOT IS_DEFINED(c.ttl)", [{ name: "@limit", value: limit }]);
        out.push(notice(expired ? "bad" : "", `${expired === null ? "An unknown number of" : integerText(expired)} items without a ttl of their own are older than that and expire at once.`));
      } else if (next.defaultTtl === -1) {
        out.push(notice("", `Only items with a ttl of their own expire: ${integerText((await count("IS_DEFINED(c.ttl)")) ?? 0)} have one.`));
      } else {
        out.push(notice("", "Nothing expires any more, also items with a ttl of their own."));
      }
    }
    if (JSON.stringify(before.indexingPolicy) !== JSON.stringify(next.indexingPolicy)) {
      const items = await count("");
      out.push(notice("warn", `The index of ${items === null ? "all" : integerText(items)} items is rebuilt in the background. Until it has finished, queries use only what both policies index.`));
    }
    if (JSON.stringify(before.computedProperties) !== JSON.stringify(next.computedProperties)) {
      out.push(notice("warn", "Computed properties are evaluated anew for every item, and indexed where the policy includes them."));
    }
    if (had !== null) out.push(notice("", `Throughput from ${integerText(had)} to ${integerText(value.throughput)} RU per second (${value.kind}). It applies at once.`));
    return out;
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
