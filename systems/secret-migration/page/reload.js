// Shows a part again after a change without a flicker: what is there stays until its successor is loaded.

import { loadInto } from "/_kit/feedback.js";

const newest = new WeakMap();

export async function reloadInto(place, load) {
  if (place.childElementCount === 0) return loadInto(place, load);
  const number = (newest.get(place) ?? 0) + 1;
  newest.set(place, number);
  let node;
  try {
    node = await load();
  } catch {
    return loadInto(place, load);
  }
  // An answer that was overtaken by a later one is dropped.
  if (newest.get(place) === number) place.replaceChildren(node);
}
