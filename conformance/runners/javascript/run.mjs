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

// The certificate of a server made for a test is known to nobody.
if (flags.endpoint.startsWith("https:")) process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";

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
  if (step.indexing) wish.indexingDirective = step.indexing;
  if (step.pre_triggers) wish.preTriggerInclude = step.pre_triggers;
  if (step.post_triggers) wish.postTriggerInclude = step.post_triggers;
  if (step.priority) wish.priorityLevel = step.priority;
  if (step.throughput_bucket) wish.throughputBucket = step.throughput_bucket;
  if (step.cache_seconds !== undefined) wish.maxIntegratedCacheStalenessInMs = 1000 * step.cache_seconds;
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
    if (pages === step?.split_after) await verbs.split_partition();
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
  if (step.session) wish.sessionToken = step.session;
  if (step.consistency) wish.consistencyLevel = step.consistency;
  if (step.metrics) Object.assign(wish, { populateQueryMetrics: true, populateIndexMetrics: true });
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
  if (step.if_none_match !== undefined) operation.ifNoneMatch = step.if_none_match;
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
  else if ("since" in step) wish.changeFeedStartFrom = from.Time(new Date(1000 * step.since), range);
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

// Users, permissions, scripts and client encryption keys.

function attached(step) {
  const { scripts } = container;
  switch (step.kind) {
    case "user":
      return [database.users, (id) => database.user(id)];
    case "permission": {
      const user = database.user(step.of);
      return [user.permissions, (id) => user.permission(id)];
    }
    case "stored_procedure":
      return [scripts.storedProcedures, (id) => scripts.storedProcedure(id)];
    case "trigger":
      return [scripts.triggers, (id) => scripts.trigger(id)];
    default:
      return [scripts.userDefinedFunctions, (id) => scripts.userDefinedFunction(id)];
  }
}

function attachedBody(step) {
  const { partition, ...body } = step.body;
  if (step.kind !== "permission") return body;
  body.resource ??= `dbs/${databaseId}/colls/${container.id}`;
  if (partition) body.resourcePartitionKey = partition;
  return body;
}

// The library makes a key of its own and wraps it with whatever it is given.
async function encryptionKey(step) {
  const keyEncryptionKeyResolver = {
    encryptionKeyResolverName: "fake",
    wrapKey: async (_id, _algorithm, key) => Buffer.from(key),
    unwrapKey: async (_id, _algorithm, key) => Buffer.from(key),
  };
  const encrypting = new cosmos.CosmosClient({
    endpoint: flags.endpoint,
    key: flags.key,
    clientEncryptionOptions: { keyEncryptionKeyResolver },
  });
  try {
    const of = encrypting.database(databaseId);
    const words = {
      create_resource: () =>
        of.createClientEncryptionKey(step.body.id, step.body.encryptionAlgorithm, step.body.keyWrapMetadata),
      read_resource: () => of.readClientEncryptionKey(step.id),
      replace_resource: () => of.rewrapClientEncryptionKey(step.id, step.body.keyWrapMetadata),
    }[step.do];
    if (!words) throw new Unsupported(`this library has no ${step.do} of client encryption keys`);
    const { clientEncryptionKeyProperties: found } = await words();
    return { value: { ...found, keyWrapMetadata: found.encryptionKeyWrapMetadata } };
  } finally {
    encrypting.dispose();
  }
}

async function resource(step) {
  if (step.kind === "client_encryption_key") return encryptionKey(step);
  const [all, one] = attached(step);
  const wish = step.expiry ? { resourceTokenExpirySeconds: step.expiry } : undefined;
  const seen = {
    create_resource: async () => single(await all.create(attachedBody(step), wish)),
    upsert_resource: async () => {
      if (!all.upsert) throw new Unsupported(`this library has no upsert of ${step.kind}`);
      return single(await all.upsert(attachedBody(step), wish));
    },
    read_resource: async () => single(await one(step.id).read()),
    replace_resource: async () => single(await one(step.id).replace(attachedBody(step), wish)),
    delete_resource: async () => single(await one(step.id).delete()),
    list_resources: () => paged(all.readAll()),
    query_resources: () => paged(all.query({ query: step.text, parameters: parameters(step) })),
  };
  const found = await seen[step.do]();
  return { ...found, kept: { token: found.value?._token } };
}

const encoded = (text) => Buffer.from(text).toString("base64url");

// The bearer token the emulators take: its signature is the account key.
function fakeToken(key) {
  const now = Math.floor(Date.now() / 1000);
  const kid = "CosmosEmulatorPrimaryMaster";
  const head = { typ: "JWT", alg: "RS256", x5t: kid, kid };
  const claims = {
    appid: "localhost",
    aud: "https://localhost.localhost",
    tid: "EmulatorFederation",
    iss: "https://sts.fake-issuer.net/7b1999a1-dfd7-440e-8204-00170979b984",
    nbf: now,
    iat: now,
    exp: now + 3600,
  };
  return [JSON.stringify(head), JSON.stringify(claims), key].map(encoded).join(".");
}

// Does one step as somebody else: with a resource token or a bearer token.
async function sayAs(who, step) {
  const own = container;
  const wish = { endpoint: flags.endpoint };
  if (who.token) wish.resourceTokens = { [`dbs/${databaseId}/colls/${own.id}`]: who.token };
  else {
    const token = fakeToken(who.key ?? flags.key);
    wish.aadCredentials = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3600000 }) };
  }
  const theirs = new cosmos.CosmosClient(wish);
  container = theirs.database(databaseId).container(own.id);
  try {
    return await verbs[step.do](step);
  } finally {
    container = own;
    theirs.dispose();
  }
}

const verbs = {
  create_resource: resource,
  upsert_resource: resource,
  read_resource: resource,
  replace_resource: resource,
  delete_resource: resource,
  list_resources: resource,
  query_resources: resource,
  async execute(step) {
    const procedure = container.scripts.storedProcedure(step.id);
    return single(await procedure.execute(keyOf(step.key), step.arguments));
  },
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
  async create_database(step) {
    return single(await client.databases.create(definition(step.database, { throughput: step.throughput })));
  },
  read_database: async (step) => single(await client.database(step.database).read()),
  delete_database: async (step) => single(await client.database(step.database).delete()),
  list_databases: () => paged(client.databases.readAll()),
  query_databases: (step) => paged(client.databases.query({ query: step.text, parameters: parameters(step) })),
  async read_throughput(step) {
    const { content } = (await withThroughput(step).readOffer()).resource;
    return {
      value: { throughput: content.offerThroughput, autoscale: content.offerAutopilotSettings?.maxThroughput },
    };
  },
  async replace_throughput(step) {
    const { offer, resource } = await withThroughput(step).readOffer();
    if (step.throughput.max) {
      resource.content = { offerAutopilotSettings: { maxThroughput: step.throughput.max } };
    } else {
      resource.content = { offerThroughput: step.throughput };
    }
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
  inject_faults: (step) => control("faults", step.rules),
  was_throttled: () => control("was-throttled", { database: databaseId, container: container.id }),
};

const withThroughput = (step) => ("database" in step ? client.database(step.database) : container);

async function runStep(raw) {
  const step = filled(raw);
  const see = step.see ?? {};
  let seen;
  try {
    seen = step.as ? await sayAs(step.as, step) : await verbs[step.do](step);
  } catch (error) {
    if (error instanceof Unsupported || error instanceof Unseen) throw error;
    checkFailure(step, see, error);
    return;
  }
  if (see.fails) throw new Unseen(`${step.do} succeeded, and should fail with ${JSON.stringify(see.fails)}`);
  check(step.do, see, seen);
  const kept = {
    etag: seen.headers?.etag,
    session: seen.headers?.["x-ms-session-token"],
    time: seen.value?._ts,
    ...seen.kept,
  };
  for (const [name, what] of Object.entries(step.save ?? {})) saved[name] = kept[what];
}

// Scenarios in which this library asks a range that is gone again and again, without an end. They get this long.
const ENDLESS_MILLISECONDS = 5000;
const ENDLESS = new Set([
  "a split between the pages of an ordered query",
  "a split between two tokens of an order",
]);

async function judged(content, scenario) {
  if (!ENDLESS.has(scenario.name)) return judgedToItsEnd(content, scenario);
  let timer;
  const given = new Promise((resolve) => {
    timer = setTimeout(resolve, ENDLESS_MILLISECONDS, ["failed", "the library asks without an end"]);
  });
  const outcome = await Promise.race([judgedToItsEnd(content, scenario), given]);
  clearTimeout(timer);
  // Only this ends the asking.
  if (outcome[0] === "failed") await container.delete();
  return outcome;
}

async function judgedToItsEnd(content, scenario) {
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
