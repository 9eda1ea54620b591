// Processors of a change feed: their leases, who holds them, and how far each is behind. The lag is asked as the client
// libraries' estimators do: the first change after the continuation of a lease, against the newest one of its range.

import { element, integerText } from "/_kit/element.js";
import { emptyState } from "/_kit/feedback.js";
import { timeAgo } from "/_kit/time.js";
import { call, containerPath, databasePath, feed, json, queryPage } from "./api.js";

const LEASES_MAX = 200;

// Leases that are items of a container in the same database whose definition names a lease container.
async function leasesOf(place) {
  const containers = (await feed(`${databasePath(place.database)}/colls`, "DocumentCollections")).filter(({ id }) => id !== place.container && /lease/i.test(id));
  const about = await json("GET", containerPath(place.database, place.container));
  const found = [];
  for (const { id } of containers) {
    const page = await queryPage({ database: place.database, container: id }, `SELECT TOP ${LEASES_MAX} * FROM c`);
    for (const lease of page.rows) {
      const token = lease.LeaseToken ?? lease.leaseToken ?? lease.partitionId;
      const continuation = lease.ContinuationToken ?? lease.continuationToken ?? lease.continuation;
      if (token === undefined && continuation === undefined) continue;
      // Ids of leases have the resource id of the container they are about; others belong to another container.
      const names = String(lease.id);
      if (names.includes("..") && !names.includes(about._rid) && !names.includes(`_${place.container}`)) continue;
      found.push({ container: id, id: lease.id, token: String(token ?? "0"), continuation, owner: lease.Owner ?? lease.owner ?? null, time: lease.timestamp ?? lease.Timestamp ?? lease._ts * 1000, range: lease.FeedRange ?? lease.feedRange });
    }
  }
  return found;
}

// The continuation as the feed takes it: an etag, also out of the JSON of newer leases.
function etagOf(continuation) {
  let text = continuation;
  try {
    const outer = typeof text === "string" ? JSON.parse(text) : text;
    text = outer?.Continuation?.[0]?.State?.value ?? outer?.Continuation?.[0]?.token ?? outer?.continuation?.[0]?.token ?? (typeof outer === "object" ? null : text);
    if (typeof outer === "number") text = String(outer);
  } catch {
    // A plain etag.
  }
  return text === null || text === undefined ? null : `"${String(text).replaceAll('"', "")}"`;
}

// Of a session token such as `0:-1#42`.
const lsnOf = (token) => Number(/#(\d+)/.exec(token ?? "")?.[1] ?? NaN);

// How many changes wait at most: { behind } or { problem }.
async function lagOf(place, lease) {
  const etag = etagOf(lease.continuation);
  const headers = { "a-im": "Incremental Feed", "x-ms-max-item-count": "1", "x-ms-documentdb-partitionkeyrangeid": lease.token, ...(etag ? { "if-none-match": etag } : {}) };
  try {
    const answer = await call("GET", `${containerPath(place.database, place.container)}/docs`, { headers });
    if (answer.status === 304) return { behind: 0 };
    const newest = lsnOf(answer.headers.get("x-ms-session-token"));
    const first = JSON.parse(answer.text).Documents[0];
    if (!first) return { behind: 0 };
    return { behind: Number.isFinite(newest) ? Math.max(1, newest - first._lsn + 1) : 1 };
  } catch (error) {
    return { problem: error.status === 410 ? "its range was split or merged; the processor takes over the new ones" : error.message };
  }
}

export async function showProcessors(place, holder) {
  try {
    const leases = await leasesOf(place);
    if (leases.length === 0) {
      holder.replaceChildren(emptyState("No processor", "Processors keep their leases in a container with 'lease' in its name, in the same database. None has any for this container.", { icon: "users" }));
      return;
    }
    const lags = await Promise.all(leases.map((lease) => lagOf(place, lease)));
    const cell = (...content) => element("td", {}, ...content);
    holder.replaceChildren(element("div", { class: "card flush scroll-x" }, element("table", { class: "plain" },
      element("caption", { class: "visually-hidden" }, "Leases of processors"),
      element("thead", {}, element("tr", {}, ...["Range", "Owner", "Behind", "Renewed", "Lease"].map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...leases.map((lease, at) => element("tr", {}, cell(lease.token), cell(lease.owner ?? element("span", { class: "tag warn" }, "nobody")),
        cell(lags[at].problem ? element("span", { class: "problem" }, lags[at].problem) : element("span", { class: `tag ${lags[at].behind === 0 ? "good" : "warn"}` }, lags[at].behind === 0 ? "up to date" : `at most ${integerText(lags[at].behind)} changes`)),
        cell(Number.isNaN(new Date(lease.time).getTime()) ? "" : timeAgo(new Date(lease.time).getTime())), cell(element("code", { class: "small" }, `${lease.container} / ${lease.id}`))))))));
  } catch (error) {
    holder.replaceChildren(element("p", { class: "problem" }, error.message));
  }
}
