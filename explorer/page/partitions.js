// The physical partitions of a container: a map of their ranges, what they hold, and splitting and merging by hand.

import { button } from "/_kit/control.js";
import { bytesText, element, integerText } from "/_kit/element.js";
import { confirmDialog, dialog, toast } from "/_kit/feedback.js";
import { barPlot } from "/_kit/plot.js";
import { json } from "./api.js";

// More ranges than this are too narrow for words.
const RANGES_NAMED = 8;

export async function partitionsView({ place, isReadOnly }) {
  const path = `/_planisphere/partitions/${encodeURIComponent(place.database)}/${encodeURIComponent(place.container)}`;
  const page = element("div", { class: "page", id: "partitions" });

  function draw({ partitions, generation, partitionsMin, restructuring }) {
    const items = partitions.reduce((sum, one) => sum + one.items, 0);
    const map = element("div", { class: "ranges", role: "img", "aria-label": `${partitions.length} ranges: ${partitions.map((one) => `${one.number} from ${one.min || "the start"}`).join(", ")}` });
    for (const one of partitions) {
      const part = element("div", {}, element("strong", {}, String(one.number)));
      part.style.flexGrow = String(Math.max(0.02, share(one)));
      part.title = `${one.min || "00"} to ${one.max}`;
      map.append(part);
    }
    const progress = restructuring
      ? `Copying ${restructuring.partitions.join(", ")} into ${restructuring.into}: ${integerText(restructuring.itemsCopied)} of ${integerText(restructuring.itemsTotal)} items.`
      : partitions.length < partitionsMin && `The throughput needs ${partitionsMin} partitions; they are split in the background.`;
    page.replaceChildren(
      element("div", { class: "row apart" }, element("h1", {}, `Partitions of ${place.container}`), button("Refresh", { icon: "refresh", onclick: () => load().catch(fail) })),
      element("div", { class: "figures" }, ...[["Physical partitions", integerText(partitions.length)], ["Items", integerText(items)], ["Bytes", bytesText(partitions.reduce((sum, one) => sum + one.bytes, 0))], ["Version of the map", integerText(generation)]]
        .map(([label, value]) => element("div", {}, element("dl", {}, element("dt", {}, label), element("dd", {}, value))))),
      ...(progress ? [element("p", { class: "soft", role: "status" }, progress)] : []),
      element("section", { class: "card stack", "aria-label": "Ranges" }, element("h2", {}, "Ranges of effective partition keys"), map),
      element("section", { class: "card" }, barPlot("What they hold", partitions.map((one) => ({ label: `partition ${one.number}`, value: one.items, note: `items · ${bytesText(one.bytes)}` })))),
      element("ul", { class: "card stack" }, ...partitions.map((one, at) => element("li", { class: "row" },
        element("span", { class: "strong" }, `Partition ${one.number}`), element("code", { class: "truncate grow" }, `${one.min || "00"} … ${one.max}`), element("span", { class: "soft" }, `${integerText(one.items)} items, ${bytesText(one.bytes)}, lsn ${integerText(one.lsn)}`),
        button("Keys", { "aria-label": `Keys of partition ${one.number}`, onclick: () => showKeys(one) }),
        !isReadOnly && button("Split", { "aria-label": `Split partition ${one.number}`, onclick: () => split(one) }),
        !isReadOnly && partitions[at + 1] && button("Merge with the next", { "aria-label": `Merge partition ${one.number} with ${partitions[at + 1].number}`, onclick: () => merge(one, partitions[at + 1]) })))));
  }

  async function showKeys(one) {
    try {
      const { keys, more } = await json("GET", `${path}/${one.number}/keys`);
      const text = (key) => (key.length === 1 ? JSON.stringify(key[0]) : JSON.stringify(key));
      await dialog(`Keys of partition ${one.number}`, keys.length === 0 ? element("p", {}, "It holds no item.") : element("div", { class: "stack" },
        element("p", {}, `${more ? "The first " : ""}${integerText(keys.length)} partition keys in the order of their ranges, from ${one.min || "00"}.`),
        element("ul", { class: "key-list", id: "keys" }, ...keys.map((key) => element("li", {}, element("code", {}, text(key)))))));
    } catch (error) {
      fail(error);
    }
  }

  const fail = (error) => toast(error.message, { isBad: true });
  const load = async () => {
    const found = await json("GET", path);
    draw(found);
    nameKeys(found.partitions);
  };

  // The first keys of each range, written on the map.
  function nameKeys(partitions) {
    partitions.slice(0, RANGES_NAMED).forEach(async (one, at) => {
      const { keys, more } = await json("GET", `${path}/${one.number}/keys`, { headers: { "x-ms-max-item-count": "3" } }).catch(() => ({ keys: [] }));
      const part = page.querySelector(".ranges")?.children[at];
      if (part?.firstChild.textContent !== String(one.number)) return;
      part.append(element("span", { class: "small truncate" }, keys.length === 0 ? "no items" : `${keys.map((key) => key.map((value) => (typeof value === "object" ? "–" : String(value))).join(" / ")).join(", ")}${more ? " …" : ""}`));
    });
  }

  async function change(title, text, label, body, said) {
    let answer = null;
    const done = await confirmDialog(title, element("p", {}, text), { label, isDanger: false, run: async () => { answer = await json("POST", path, { body }); return true; } });
    if (!done) return;
    draw(answer);
    nameKeys(answer.partitions);
    toast(said);
  }

  const split = (one) => change(`Split partition ${one.number}?`, `Its ${integerText(one.items)} items are copied into two new partitions while it stays in use. Clients notice and continue by themselves.`, "Split", { split: one.number }, "The partition is split.");
  const merge = (one, other) => change(`Merge partitions ${one.number} and ${other.number}?`, `${integerText(one.items + other.items)} items are copied into one new partition while both stay in use.`, "Merge", { merge: [one.number, other.number] }, "The partitions are merged.");

  await load();
  return { node: page };
}

// The share of the whole range, from the first digits of its bounds.
function share({ min, max }) {
  const place = (text, end) => (text ? Number.parseInt(text.padEnd(8, "0").slice(0, 8), 16) : end);
  return (place(max === "FF" ? "" : max, 0x40000000) - place(min, 0)) / 0x40000000;
}
