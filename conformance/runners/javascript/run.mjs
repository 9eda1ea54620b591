// Runs the scenarios through @azure/cosmos.
//
// Owns saying each verb in the words of this library. What is expected is in the scenario files; ../../README.md says
// how to read them. Prints one JSON line per scenario.
import { readFileSync, readdirSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import * as cosmos from "@azure/cosmos";

import { Unseen, Unsupported, check, checkFailure } from "./check.mjs";

const { values: flags } = parseArgs({
  options: {
    endpoint: { type: "string" },
    key: { type: "string" },
    scenarios: { type: "string" },
    only: { type: "string", default: "" },
  },
});

const client = new cosmos.CosmosClient({ endpoint: flags.endpoint, key: flags.key });
const databaseId = `conf-javascript-${randomUUID().slice(0, 8)}`;
let database, container, saved, paths;

const newId = () => `c-${randomUUID().slice(0, 8)}`;
const keyOf = (values) => {
  const key = values.map((value) =>
    value !== null && typeof value === "object" ? cosmos.NonePartitionKeyLiteral ?? {} : value,
  );
  return key.length === 1 ? key[0] : key;
};

function definition(id, wish) {
  const { throughput, ...rest } = wish;
  const body = { id, ...rest };
  if (throughput?.max) body.maxThroughput = throughput.max;
  else if (throughput) body.throughput = throughput;
  return body;
}

async function setUp(setup) {
  const id = newId();
  container = (await database.containers.create(definition(id, setup.container))).container;
  paths = setup.container.partitionKey.paths.map((path) => path.slice(1));
  saved = { container: id, database: databaseId };
  for (const item of setup.items ?? []) await container.items.create(item);
}

function filled(value) {
  if (typeof value === "string" && /^\$x\d+$/.test(value)) return "x".repeat(Number(value.slice(2)));
  if (typeof value === "string" && value.startsWith("$") && value.slice(1) in saved) {
    return saved[value.slice(1)];
  }
  if (Array.isArray(value)) return value.map(filled);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)]));
  }
  return value;
}

function options(step) {
  const wish = { disableAutomaticIdGeneration: true };
  if ("if_match" in step) wish.accessCondition = { type: "IfMatch", condition: step.if_match };
  if ("if_none_match" in step) wish.accessCondition = { type: "IfNoneMatch", condition: step.if_none_match };
  if (step.quiet) throw new Unsupported("this library always wants the content of a single write back");
  if (step.session) wish.sessionToken = step.session;
  if (step.consistency) wish.consistencyLevel = step.consistency;
  return wish;
}

const single = (response) => ({
  value: response.resource,
  status: response.statusCode,
  headers: response.headers,
});

function refuseOtherKey(step) {
  if (!("key" in step) || typeof step.key[0] === "object") return;
  if (JSON.stringify(step.key) !== JSON.stringify(paths.map((path) => step.item[path]))) {
    throw new Unsupported("this library takes the partition key from the item");
  }
}

function itemKey(step) {
  return keyOf(step.key ?? paths.map((path) => (path in step.item ? step.item[path] : {})));
}

async function paged(iterator, step) {
  const rows = [];
  let pages = 0;
  let headers = {};
  while (iterator.hasMoreResults()) {
    const page = await iterator.fetchNext();
    headers = page.headers ?? headers;
    if (page.resources === undefined) continue;
    rows.push(...page.resources);
    pages += 1;
    if (step?.resume) {
      if (!page.continuationToken) break;
      iterator = asked(step, page.continuationToken);
    }
  }
  return { rows, pages, headers };
}

function asked(step, continuationToken) {
  const query = { query: step.text, parameters: parameters(step) };
  const wish = { maxItemCount: step.page, continuationToken };
  if ("key" in step) wish.partitionKey = keyOf(step.key);
  if (step.resume && !("key" in step)) wish.enableQueryControl = true;
  return container.items.query(query, wish);
}

const parameters = (step) =>
  Object.entries(step.parameters ?? {}).map(([name, value]) => ({ name, value }));

const PARTS = { create: "Create", upsert: "Upsert", replace: "Replace", read: "Read", delete: "Delete", patch: "Patch" };

function part(step) {
  const operation = { operationType: PARTS[step.op] };
  if (step.id !== undefined) operation.id = step.id;
  if (step.item !== undefined) operation.resourceBody = step.item;
  if (step.key !== undefined) operation.partitionKey = keyOf(step.key);
  if (step.if_match !== undefined) operation.ifMatch = step.if_match;
  if (step.op === "patch") {
    operation.resourceBody = { operations: step.operations };
    if (step.condition) operation.resourceBody.condition = step.condition;
  }
  return operation;
}

async function control(path, body) {
  const url = new URL(`_planisphere/test/${path}`, flags.endpoint);
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Unseen(`the test control answered ${response.status}`);
  return {};
}

async function changeFeed(step) {
  const from = cosmos.ChangeFeedStartFrom;
  const wish = { maxItemCount: step.page };
  const range = "key" in step ? keyOf(step.key) : undefined;
  if (step.mode === "all") wish.changeFeedMode = cosmos.ChangeFeedMode.AllVersionsAndDeletes;
  if ("follow" in step) wish.changeFeedStartFrom = from.Continuation(step.follow);
  else if (step.from === "now") wish.changeFeedStartFrom = from.Now(range);
  else wish.changeFeedStartFrom = from.Beginning(range);
  const iterator = container.items.getChangeFeedIterator(wish);
  const rows = [];
  let quiet = 0;
  let continuation;
  // Each range answers for itself that nothing is new; the library asks them in turn.
  const ranges = range === undefined ? (await container.getFeedRanges()).length : 1;
  while (iterator.hasMoreResults && quiet <= ranges) {
    const page = await iterator.readNext();
    continuation = page.continuationToken;
    if (page.statusCode === 304) quiet += 1;
    else rows.push(...page.result);
  }
  return { rows, kept: { continuation } };
}

const verbs = {
  async create(step) {
    refuseOtherKey(step);
    return single(await container.items.create(step.item, options(step)));
  },
  upsert: async (step) => single(await container.items.upsert(step.item, options(step))),
  async replace(step) {
    return single(await container.item(step.id ?? step.item.id, itemKey(step)).replace(step.item, options(step)));
  },
  async read(step) {
    const response = await container.item(step.id, keyOf(step.key)).read(options(step));
    // This library answers a missing item without throwing.
    if (response.statusCode === 404) throw { code: 404, message: "not found", headers: response.headers };
    return single(response);
  },
  delete: async (step) => single(await container.item(step.id, keyOf(step.key)).delete(options(step))),
  async patch(step) {
    const body = step.condition ? { operations: step.operations, condition: step.condition } : step.operations;
    return single(await container.item(step.id, keyOf(step.key)).patch(body, options(step)));
  },
  async batch(step) {
    const response = await container.items.batch(step.operations.map(part), keyOf(step.key));
    return { headers: response.headers, results: (response.result ?? []).map((each) => each.statusCode) };
  },
  async bulk(step) {
    const results = await container.items.executeBulkOperations(step.operations.map(part));
    return { results: results.map((each) => each.response?.statusCode ?? each.error?.code) };
  },
  async read_many() {
    throw new Unsupported("this library cannot read many items at once");
  },
  async delete_partition(step) {
    await container.deleteAllItemsForPartitionKey(keyOf(step.key));
    return {};
  },
  list: (step) => paged(container.items.readAll({ maxItemCount: step.page })),
  query: (step) => paged(asked(step), step),
  change_feed: changeFeed,
  read_container: async () => single(await container.read()),
  delete_container: async () => single(await container.delete()),
  async create_container(step) {
    return single(await database.containers.create(definition(step.id ?? container.id, step.container)));
  },
  async replace_container(step) {
    return single(await container.replace(definition(container.id, step.container)));
  },
  list_containers: () => paged(database.containers.readAll()),
  query_containers: (step) => paged(database.containers.query({ query: step.text, parameters: parameters(step) })),
  create_database: async (step) => single(await client.databases.create({ id: step.database })),
  read_database: async (step) => single(await client.database(step.database).read()),
  delete_database: async (step) => single(await client.database(step.database).delete()),
  list_databases: () => paged(client.databases.readAll()),
  query_databases: (step) => paged(client.databases.query({ query: step.text, parameters: parameters(step) })),
  async read_throughput() {
    const { content } = (await container.readOffer()).resource;
    return {
      value: { throughput: content.offerThroughput, autoscale: content.offerAutopilotSettings?.maxThroughput },
    };
  },
  async replace_throughput(step) {
    const { offer, resource } = await container.readOffer();
    if (step.throughput.max) resource.content.offerAutopilotSettings = { maxThroughput: step.throughput.max };
    else resource.content.offerThroughput = step.throughput;
    return single(await offer.replace(resource));
  },
  feed_ranges: async () => ({ rows: await container.getFeedRanges() }),
  async account(step) {
    const asking = step.wrong_key
      ? new cosmos.CosmosClient({ endpoint: flags.endpoint, key: "d3Jvbmc=" })
      : client;
    const { resource } = await asking.getDatabaseAccount();
    asking.dispose?.();
    return { value: { consistency: resource.consistencyPolicy.defaultConsistencyLevel ?? resource.consistencyPolicy } };
  },
  advance_clock: (step) => control("advance-clock", { seconds: step.seconds }),
  split_partition: () => control("split-partition", { database: databaseId, container: container.id }),
  enforce_throughput: () => control("enforce-throughput", { database: databaseId, container: container.id }),
  was_throttled: () => control("was-throttled", { database: databaseId, container: container.id }),
};

async function runStep(raw) {
  const step = filled(raw);
  const see = step.see ?? {};
  let seen;
  try {
    seen = await verbs[step.do](step);
  } catch (error) {
    if (error instanceof Unsupported || error instanceof Unseen) throw error;
    checkFailure(step, see, error);
    return;
  }
  if (see.fails) throw new Unseen(`${step.do} succeeded, and should fail with ${JSON.stringify(see.fails)}`);
  check(step.do, see, seen);
  const kept = { etag: seen.headers?.etag, session: seen.headers?.["x-ms-session-token"], ...seen.kept };
  for (const [name, what] of Object.entries(step.save ?? {})) saved[name] = kept[what];
}

async function judged(content, scenario) {
  try {
    if (!content.shared) await setUp(scenario.setup ?? content.setup);
    let number = 0;
    for (const step of scenario.steps) {
      number += 1;
      try {
        await runStep(step);
      } catch (error) {
        if (error instanceof Unseen) error.message = `step ${number}: ${error.message}`;
        throw error;
      }
    }
    return ["passed", ""];
  } catch (error) {
    return [error instanceof Unsupported ? "unsupported" : "failed", String(error.message ?? error)];
  }
}

database = (await client.databases.create({ id: databaseId })).database;
for (const name of readdirSync(flags.scenarios).filter((file) => file.endsWith(".json")).sort()) {
  const content = JSON.parse(readFileSync(`${flags.scenarios}/${name}`, "utf8"));
  if (content.shared) await setUp(content.setup);
  for (const scenario of content.scenarios.filter((each) => each.name.includes(flags.only))) {
    const [outcome, reason] = await judged(content, scenario);
    const line = { scenario: scenario.name, area: content.area, outcome, reason: reason.slice(0, 600) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
}
await database.delete();
client.dispose();
