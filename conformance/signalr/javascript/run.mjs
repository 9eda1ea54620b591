// The scenarios of a hub with the official JavaScript client: every transport with every protocol it carries.

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { HttpTransportType, HubConnectionBuilder, HubConnectionState, LogLevel, Subject } from "@microsoft/signalr";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import { chatScenarios } from "./chat.mjs";

const { values } = parseArgs({ options: { endpoint: { type: "string" }, forwarder: { type: "string" }, chat: { type: "string" } } });
const ways = [
  { name: "WebSockets, JSON", transport: HttpTransportType.WebSockets },
  { name: "WebSockets, MessagePack", transport: HttpTransportType.WebSockets, packed: true },
  { name: "Server-Sent Events, JSON", transport: HttpTransportType.ServerSentEvents },
  { name: "long polling, JSON", transport: HttpTransportType.LongPolling },
  { name: "long polling, MessagePack", transport: HttpTransportType.LongPolling, packed: true },
];
const scenarios = [];
const everywhere = (name, body) => {
  for (const way of ways) scenarios.push({ area: way.name, name: `${way.name}: ${name}`, body: () => body(way) });
};
const scenario = (area, name, body) => scenarios.push({ area, name: `${area}: ${name}`, body });

const build = (way, { hub = "/hub", base = values.endpoint, user, adjust = (builder) => builder, ...options } = {}) => {
  let builder = new HubConnectionBuilder()
    .withUrl(`${base}${hub}`, {
      transport: way.transport,
      ...(user && { accessTokenFactory: () => user }),
      ...options,
    })
    .configureLogging(LogLevel.None);
  if (way.packed) builder = builder.withHubProtocol(new MessagePackHubProtocol());
  return adjust(builder).build();
};
const opened = [];
// `prepare` gets the connection before it is started, to hear what comes first.
const open = async (way, { prepare = () => {}, ...options } = {}) => {
  const connection = build(way, options);
  prepare(connection);
  opened.push(connection);
  await connection.start();
  return connection;
};
const control = async (what) => assert.equal((await fetch(`${values.endpoint}/control/${what}`, { method: "POST" })).status, 200);
const within = (promise, what, milliseconds = 20000) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing in ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
const heard = (connection, method, count = 1) => {
  const got = [];
  return within(new Promise((resolve) => {
    connection.on(method, (...args) => {
      got.push(args);
      if (got.length === count) resolve(got);
    });
  }), method);
};
const collect = (stream) => within(new Promise((resolve) => {
  const items = [];
  stream.subscribe({
    next: (item) => items.push(item),
    complete: () => resolve({ items }),
    error: (error) => resolve({ items, error: error.message }),
  });
}), "the stream");
const message = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return error.message;
  }
  return assert.fail("no error");
};
const until = async (check, what) => {
  const last = Date.now() + 20000;
  while (!(await check())) {
    assert.ok(Date.now() < last, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

everywhere("calls with results of every type", async (way) => {
  const connection = await open(way);
  assert.equal(await connection.invoke("Add", 40, 2), 42);
  assert.equal(await connection.invoke("aDD", 1, 1), 2);
  for (const value of [null, true, -7, 1.5, "é \u{1f600} \n", [1, [2]], { a: { b: [] } }]) {
    assert.deepEqual(await connection.invoke("Echo", value), value);
  }
  const person = { displayName: "Ada", age: 36, tags: ["x"] };
  assert.deepEqual(await connection.invoke("EchoPerson", person), person);
  assert.equal(await connection.invoke("Nothing") ?? undefined, undefined);
  if (way.packed) {
    const bytes = await connection.invoke("EchoBytes", new Uint8Array([0, 255, 7]));
    assert.deepEqual([...bytes], [0, 255, 7]);
  }
  assert.equal(await connection.invoke("ConnectionId"), connection.connectionId);
});
everywhere("errors have the texts of the official server", async (way) => {
  const connection = await open(way);
  const what = "An unexpected error occurred invoking";
  assert.equal(await message(connection.invoke("Refuse", "not you")), `${what} 'Refuse' on the server. HubException: not you`);
  assert.equal(await message(connection.invoke("Fail")), `${what} 'Fail' on the server.`);
  const gone = "Failed to invoke 'Gone' due to an error on the server. HubException: Method does not exist.";
  assert.equal(await message(connection.invoke("Gone")), gone);
  assert.equal(await message(connection.invoke("Add", 1)), "Failed to invoke 'Add' due to an error on the server.");
  assert.equal(await message(connection.invoke("Add", 1, "x")), "Failed to invoke 'Add' due to an error on the server.");
  const mode = "The client attempted to invoke the streaming 'CountTo' method with a non-streaming invocation.";
  assert.equal(await message(connection.invoke("CountTo", 1)), mode);
  const other = (await collect(connection.stream("Add", 1, 2))).error;
  assert.equal(other, "The client attempted to invoke the non-streaming 'Add' method with a streaming invocation.");
  assert.equal(await connection.invoke("Add", 1, 2), 3);
});
everywhere("messages to the caller, a connection, a user and groups", async (way) => {
  const [alice, again, bob] = await Promise.all(["alice", "alice", "bob"].map((user) => open(way, { user: `${user}-${way.name.replace(/[^a-z]/gi, "")}` })));
  assert.match(await alice.invoke("User"), /^alice-/);
  const got = { alice: [], again: [], bob: [] };
  alice.on("message", (text) => got.alice.push(text));
  again.on("message", (text) => got.again.push(text));
  bob.on("message", (text) => got.bob.push(text));
  const group = `g-${way.name}`;
  await Promise.all([alice.invoke("Join", group), bob.invoke("Join", group)]);
  await alice.invoke("ToCaller", "caller");
  await bob.invoke("ToUser", await alice.invoke("User"), "user");
  await alice.invoke("ToConnection", bob.connectionId, "connection");
  await alice.invoke("ToGroup", group, "group");
  await alice.invoke("ToOthersInGroup", group, "others");
  await bob.invoke("Leave", group);
  await alice.invoke("ToGroup", group, "left");
  await bob.invoke("ToUser", await bob.invoke("User"), "end");
  await until(() => got.bob.includes("end") && got.alice.includes("left") && got.again.length === 1, JSON.stringify(got));
  assert.deepEqual(got, { alice: ["caller", "user", "group", "left"], again: ["user"], bob: ["connection", "group", "others", "end"] });
});
everywhere("streams from the server: items, errors, cancel", async (way) => {
  const connection = await open(way);
  assert.deepEqual(await collect(connection.stream("CountTo", 300)), { items: Array.from({ length: 300 }, (_, index) => index + 1) });
  const failed = await collect(connection.stream("FailAfter", 2));
  assert.deepEqual(failed, { items: [1, 2], error: "An error occurred on the server while streaming results. HubException: the stream broke" });
  const before = await connection.invoke("Cancelled");
  await within(new Promise((resolve, reject) => {
    const subscription = connection.stream("Endless").subscribe({
      next: (item) => item === 3 && (subscription.dispose(), resolve()),
      error: reject,
      complete: () => {},
    });
  }), "the endless stream");
  await until(async () => await connection.invoke("Cancelled") > before, "the server did not hear of the cancel");
});
everywhere("streams to the server, alone and both ways", async (way) => {
  const connection = await open(way);
  const upload = (numbers, error) => {
    const subject = new Subject();
    setTimeout(() => {
      for (const number of numbers) subject.next(number);
      error ? subject.error(new Error(error)) : subject.complete();
    }, 10);
    return subject;
  };
  assert.equal(await connection.invoke("Sum", upload(Array(50).fill(2))), 100);
  assert.equal(await connection.invoke("SumBoth", upload([1, 2]), 10, upload([3])), 60);
  assert.deepEqual((await collect(connection.stream("Double", upload([1, 2, 3])))).items, [2, 4, 6]);
  assert.match(await message(connection.invoke("Sum", upload([1], "disk full"))), /disk full/);
});
everywhere("the server asks the client and gets its result", async (way) => {
  const connection = await open(way);
  connection.on("answer", (question) => `to ${question}`);
  assert.equal(await connection.invoke("Ask", "be"), "to be");
  connection.off("answer");
  connection.on("answer", () => { throw new Error("no idea"); });
  assert.match(await message(connection.invoke("Ask", "be")), /no answer: .*no idea/);
});
everywhere("large results and many messages in order", async (way) => {
  const connection = await open(way);
  assert.equal((await connection.invoke("Big", 300000)).length, 300000);
  const numbers = heard(connection, "number", 500);
  await connection.invoke("Burst", 500);
  assert.deepEqual((await numbers).map(([number]) => number), Array.from({ length: 500 }, (_, index) => index));
});
everywhere("a message that is too large ends the connection", async (way) => {
  const connection = await open(way);
  const closed = within(new Promise((resolve) => connection.onclose(resolve)), "the end");
  connection.invoke("Echo", "x".repeat(40000)).catch(() => {});
  assert.match((await closed).message, /Server returned an error on close: Connection closed with an error\./);
});
everywhere("the client and the server end a connection", async (way) => {
  const stopped = await open(way);
  await stopped.stop();
  assert.equal(stopped.state, HubConnectionState.Disconnected);
  const aborted = await open(way);
  const closed = within(new Promise((resolve) => aborted.onclose((error) => resolve(error ?? "no error"))), "the end");
  aborted.send("Abort");
  assert.equal(await closed, "no error");
});

for (const way of ways.slice(0, 2)) {
  scenario(way.name, "without negotiation", async () => {
    const connection = await open(way, { skipNegotiation: true });
    assert.equal(await connection.invoke("Add", 1, 2), 3);
  });
  scenario("automatic reconnect", way.name, async () => {
    const connection = await open(way, { base: values.forwarder, adjust: (builder) => builder.withAutomaticReconnect([0, 50, 500]) });
    const before = connection.connectionId;
    const back = within(new Promise((resolve) => connection.onreconnected(resolve)), "the reconnect");
    await control("cut");
    assert.notEqual(await back, before);
    assert.equal(await connection.invoke("Add", 1, 2), 3);
  });
  scenario("stateful reconnect", way.name, async () => {
    const connection = await open(way, { base: values.forwarder, adjust: (builder) => builder.withStatefulReconnect() });
    let reconnecting = false;
    connection.onreconnecting(() => { reconnecting = true; });
    const before = connection.connectionId;
    const numbers = heard(connection, "number", 900);
    for (let round = 0; round < 3; round += 1) {
      const burst = connection.invoke("Burst", 300);
      await control("cut");
      await within(burst, "the burst");
      assert.equal(await within(connection.invoke("Add", round, 1), "a call after a cut"), round + 1);
    }
    const expected = Array.from({ length: 900 }, (_, index) => index % 300);
    assert.deepEqual((await numbers).map(([number]) => number), expected, "every message once and in order");
    assert.equal(connection.connectionId, before);
    assert.equal(reconnecting, false, "the application noticed nothing");
  });
}
for (const way of ways) {
  scenario("keep-alive", way.name, async () => {
    const connection = await open(way, { adjust: (builder) => builder.withServerTimeout(6000).withKeepAliveInterval(1000) });
    let closed = false;
    connection.onclose(() => { closed = true; });
    await new Promise((resolve) => setTimeout(resolve, 7000));
    assert.equal(closed, false);
    assert.equal(await connection.invoke("Add", 1, 2), 3);
  });
}
if (values.chat) scenarios.push(...chatScenarios({ chat: values.chat, ways, open, within, until }));
const judge = async ({ area, name, body }) => {
  const line = { scenario: name, area, outcome: "passed", reason: "" };
  try {
    await within(body(), name, 60000);
  } catch (error) {
    Object.assign(line, { outcome: "failed", reason: String(error.stack ?? error).slice(0, 300) });
  }
  return line;
};
const print = (line) => console.log(JSON.stringify(line));
// The cuts of the forwarder concern every connection through it, so those scenarios run one after the other.
const alone = scenarios.filter(({ area }) => area.endsWith("reconnect"));
(await Promise.all(scenarios.filter((one) => !alone.includes(one)).map(judge))).forEach(print);
for (const one of alone) print(await judge(one));
// The end of a hub concerns every connection of it, so all are open before.
const ending = ways.map((way) => {
  const started = open(way, { hub: "/ending", adjust: (builder) => builder.withAutomaticReconnect([0]) });
  const reconnecting = started.then((connection) => within(new Promise((resolve) => connection.onreconnecting(resolve)), "the reconnect", 60000));
  reconnecting.catch(() => {});
  return { area: "server shutdown", name: `server shutdown: ${way.name}`, started, body: () => reconnecting };
});
await Promise.allSettled(ending.map(({ started }) => started));
await control("stop");
for (const one of ending) print(await judge(one));
await Promise.allSettled(opened.map((connection) => connection.stop()));
process.exit(0);
