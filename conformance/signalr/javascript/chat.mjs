// The scenarios of the chat with the official JavaScript client: what people do, over every transport and protocol.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";

const ALICE = "alice@example.com";
const BOB = "bob@example.com";
const CHARLIE = "charlie@example.com";

// A second address of the chat, whose connections `cut` breaks.
async function forwarder(endpoint) {
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(Number(new URL(endpoint).port), "127.0.0.1");
    for (const [from, to] of [[near, far], [far, near]]) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy()).on("close", () => { sockets.delete(from); to.destroy(); });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { base: `http://127.0.0.1:${server.address().port}`, cut: () => sockets.forEach((socket) => socket.destroy()) };
}

// `chat` is its address; the rest is the runner's. Returns the scenarios.
export function chatScenarios({ chat, ways, open, within, until }) {
  const scenarios = [];
  const json = { "content-type": "application/json" };
  const post = (path, body, headers = {}) => fetch(chat + path, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

  // Signs in by a one-time code, one after the other for each person; the headers of the session.
  const signInNow = async (userName) => {
    assert.equal((await post("/api/auth/start", { userName })).status, 202);
    let code;
    await until(async () => {
      const shown = await fetch(`${chat}/control/code/${userName}`);
      if (shown.status === 200) ({ code } = await shown.json());
      return code !== undefined;
    }, "a code");
    const verified = await post("/api/auth/verify", { userName, code });
    assert.equal(verified.status, 200);
    const cookie = verified.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
    return { cookie, "x-csrf-token": cookie.match(/csrf=([^;]+)/)[1] };
  };
  const signing = new Map();
  const signIn = (userName) => {
    const signed = (signing.get(userName) ?? Promise.resolve()).then(() => signInNow(userName));
    signing.set(userName, signed.catch(() => {}));
    return signed;
  };
  const sessions = new Map();
  const session = (userName) => {
    if (!sessions.has(userName)) sessions.set(userName, signIn(userName));
    return sessions.get(userName);
  };
  const enter = async (way, userName, { room, base = chat, adjust } = {}) => {
    const headers = await session(userName);
    const connection = await open(way, { hub: "/chatHub", base, headers, adjust });
    // Sent before the answer to the first call, so it has come when that has.
    await within(connection.invoke("Heartbeat"), "the first call");
    if (room) await within(connection.invoke("Join", room), "the join");
    return connection;
  };
  const history = async (userName, room) => (await fetch(`${chat}/api/messages/room/${room}?take=100`, { headers: await session(userName) })).json();
  const next = async (connection, event, is = () => true) => within(new Promise((resolve) => {
    const listen = (argument) => {
      if (!is(argument)) return;
      connection.off(event, listen);
      resolve(argument);
    };
    connection.on(event, listen);
  }), event);
  const everywhere = (name, body) => {
    for (const way of ways) scenarios.push({ area: `chat: ${way.name}`, name: `chat: ${way.name}: ${name}`, body: () => body(way) });
  };

  everywhere("a person signs in by a code and is in the first room with its profile", async (way) => {
    const headers = await session(ALICE);
    const connection = await open(way, { hub: "/chatHub", base: chat, headers, prepare: (one) => {
      one.profile = next(one, "getProfileInfo");
      one.present = next(one, "presenceSnapshot");
    } });
    assert.equal((await connection.profile).userName, ALICE);
    assert.ok((await connection.present).some(({ userName, currentRoom }) => userName === ALICE && currentRoom === "general"));
    const health = await connection.invoke("GetHealthStatus");
    assert.equal(health.isHealthy, true);
    await assert.rejects(open(way, { hub: "/chatHub", base: chat }), /401|Unauthorized/);
  });

  everywhere("a message reaches the room, is in its history and is read", async (way) => {
    const alice = await enter(way, ALICE);
    const bob = await enter(way, BOB);
    const mine = (message) => message.correlationId === `c ${way.name}`;
    const seen = [next(alice, "newMessage", mine), next(bob, "newMessage", mine)];
    await alice.invoke("SendMessage", "hello é \u{1f600}", `c ${way.name}`);
    const [at, to] = await Promise.all(seen);
    assert.deepEqual(at, to);
    assert.equal(to.content, "hello é \u{1f600}");
    assert.ok((await history(BOB, "general")).some(({ id }) => id === to.id));
    const read = next(alice, "messageRead", ({ id }) => id === to.id);
    await bob.invoke("MarkRead", to.id);
    assert.deepEqual((await read).readers, [BOB]);
    // Sent again after a lost answer: stored once, and echoed to its sender.
    const echo = next(alice, "newMessage", mine);
    await alice.invoke("SendMessage", "hello é \u{1f600}", `c ${way.name}`);
    assert.equal((await echo).id, to.id);
    assert.equal((await history(BOB, "general")).filter(mine).length, 1);
  });

  everywhere("a person changes the room, and a room of others is refused", async (way) => {
    const alice = await enter(way, ALICE, { room: "ops" });
    const refused = next(alice, "onError");
    await alice.invoke("Join", "random");
    assert.equal(await refused, "you are no member of the room 'random'");
    const charlie = await enter(way, CHARLIE);
    const denied = next(charlie, "onError");
    assert.deepEqual(await charlie.invoke("GetUsers", "ops"), []);
    assert.match(await denied, /no member/);
    let leaked = false;
    charlie.on("newMessage", ({ room }) => { leaked ||= room === "ops"; });
    const seen = next(alice, "newMessage", ({ content }) => content === `in ops ${way.name}`);
    await alice.invoke("SendMessage", `in ops ${way.name}`, null);
    assert.equal((await seen).room, "ops");
    await charlie.invoke("Heartbeat");
    assert.equal(leaked, false);
    assert.equal((await fetch(`${chat}/api/messages/room/ops`, { headers: await session(CHARLIE) })).status, 403);
  });

  everywhere("answers, edits, deletions and typing", async (way) => {
    const alice = await enter(way, ALICE);
    const bob = await enter(way, BOB);
    const typing = next(bob, "typing", ({ userName }) => userName === ALICE);
    await alice.invoke("Typing", true);
    assert.equal((await typing).isTyping, true);
    const text = `helo ${way.name}`;
    const first = next(bob, "newMessage", ({ content }) => content === text);
    await alice.invoke("SendMessage", text, null);
    const { id } = await first;
    const answer = next(alice, "newMessage", ({ replyTo }) => replyTo === id);
    await bob.invoke("Reply", "what?", null, id);
    assert.equal((await answer).fromUserName, BOB);
    const changed = next(bob, "messageChanged", (message) => message.id === id);
    await alice.invoke("EditMessage", id, "hello");
    assert.equal((await changed).content, "hello");
    const deleted = next(bob, "messageDeleted", (message) => message.id === id);
    await alice.invoke("DeleteMessage", id);
    assert.equal((await deleted).room, "general");
  });

  everywhere("a session that ends takes its connections with it", async (way) => {
    const headers = await signIn(CHARLIE);
    const connection = await open(way, { hub: "/chatHub", base: chat, headers });
    const closed = within(new Promise((resolve) => connection.onclose(resolve)), "the end");
    assert.equal((await post("/api/auth/logout", {}, headers)).status, 200);
    await closed;
    await assert.rejects(open(way, { hub: "/chatHub", base: chat, headers }), /401|Unauthorized/);
  });

  for (const way of ways) {
    scenarios.push({ area: "chat: reconnect", name: `chat: reconnect: ${way.name}`, body: async () => {
      const line = await forwarder(chat);
      const bob = await enter(way, BOB, { base: line.base, adjust: (builder) => builder.withAutomaticReconnect([0, 100, 500, 1000, 2000]) });
      const alice = await enter(way, ALICE);
      const back = within(new Promise((resolve) => bob.onreconnected(resolve)), "the reconnect", 40000);
      line.cut();
      await alice.invoke("SendMessage", `meanwhile ${way.name}`, null);
      await back;
      // A new connection begins in the first room; what was missed is in its history.
      await within(bob.invoke("Join", "general"), "the join");
      assert.ok((await history(BOB, "general")).some(({ content }) => content === `meanwhile ${way.name}`));
      const seen = next(bob, "newMessage", ({ content }) => content === `after ${way.name}`);
      await alice.invoke("SendMessage", `after ${way.name}`, null);
      await seen;
    } });
  }
  for (const way of ways.filter(({ name }) => name.startsWith("WebSockets"))) {
    scenarios.push({ area: "chat: reconnect", name: `chat: stateful reconnect: ${way.name}`, body: async () => {
      const line = await forwarder(chat);
      const bob = await enter(way, BOB, { base: line.base, adjust: (builder) => builder.withStatefulReconnect() });
      const alice = await enter(way, ALICE);
      const before = bob.connectionId;
      const texts = Array.from({ length: 20 }, (_, number) => `state ${way.name} ${number}`);
      const got = [];
      bob.on("newMessage", ({ content }) => { if (texts.includes(content)) got.push(content); });
      for (const [number, text] of texts.entries()) {
        if (number % 7 === 3) line.cut();
        await alice.invoke("SendMessage", text, null);
      }
      await until(() => got.length >= texts.length, "all messages");
      assert.deepEqual(got, texts, "every message once and in order");
      assert.equal(bob.connectionId, before);
    } });
  }
  return scenarios;
}
