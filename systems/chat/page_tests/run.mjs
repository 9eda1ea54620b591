// Uses the page of the chat in a browser as two people do, in two windows, against a demonstration it starts itself.
// PLANISPHERE and CHROMIUM name the programs, ARTEFACTS the folder for screenshots.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import readline from "node:readline";
import { chromium } from "playwright-core";
import { automaticSignIn, issuerSignIn } from "./issuer.mjs";
import { cuttableLine } from "./line.mjs";

const { PLANISPHERE, CHROMIUM, ARTEFACTS } = process.env;
mkdirSync(ARTEFACTS, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const service = spawn(PLANISPHERE, ["chat", "serve", "--demo", "--port", "0", "--ready-json"], { stdio: ["ignore", "pipe", "pipe"] });
// One-time codes of a demonstration are in its log.
const log = [];
readline.createInterface({ input: service.stderr }).on("line", (line) => log.push(line));
const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
const { ready } = JSON.parse(line);
const wire = await cuttableLine(Number(new URL(ready.endpoint).port));
const through = (address) => Object.assign(new URL(address), { port: String(wire.port) }).href;
const home = through(ready.endpoint);
const isRoot = process.getuid?.() === 0;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: isRoot ? ["--no-sandbox"] : [] });
const complaints = [];
const exceptions = [];

async function open() {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, reducedMotion: "reduce" });
  return openIn(context);
}
async function openIn(context) {
  const opened = await context.newPage();
  opened.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  opened.on("pageerror", (error) => exceptions.push(error.stack));
  return opened;
}

let page = await open();
let passed = 0;
const failures = [];
async function test(name, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok ${name}`);
  } catch (error) {
    failures.push(name);
    console.log(`FAILED ${name}\n${error.stack}`);
    wire.restore();
    await page.screenshot({ path: join(ARTEFACTS, `failed-${failures.length}.png`) });
  }
}

async function until(what, expected, read) {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await read();
    if (expected(found)) return found;
    if (Date.now() > end) assert.fail(`${what}: still ${JSON.stringify(found)}`);
    await new Promise((resume) => setTimeout(resume, 100));
  }
}

async function accessible(of) {
  await of.evaluate(axe);
  const { violations } = await of.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.target.join(" ")).join(", ")}`), []);
}
const PHONE = { width: 390, height: 844 };
// Pictures in both themes, and as a phone shows it, where nothing may be wider than the screen. All without violations.
async function shots(of, name) {
  const size = of.viewportSize();
  for (const [kind, viewport] of [["desktop", size], ["phone", PHONE]]) {
    await of.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"]) {
      await of.emulateMedia({ colorScheme });
      await of.screenshot({ path: join(ARTEFACTS, `${name}-${kind}-${colorScheme}.png`) });
      await accessible(of);
    }
    const width = await of.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= viewport.width, `${name}: ${width} pixels wide in ${viewport.width}`);
  }
  await of.emulateMedia({ colorScheme: "light" });
  await of.setViewportSize(size);
}

const message = (of, text) => of.locator(".message", { hasText: text });
async function write(of, text) {
  await of.locator("#message").fill(text);
  await of.locator("#message").press("Enter");
}
const once1 = (of, text) => until(`"${text}" once`, (count) => count === 1, () => message(of, text).count());
const receipt = (of, text, kind) => message(of, text).locator(`[data-receipt="${kind}"]`).waitFor();
const connected = (of) => of.locator('body[data-ready][data-connection="connected"]').waitFor();
// The hub has answered the call to join: only then is anything sent to the room.
const joined = (of, room) => of.locator(`body[data-ready][data-joined="${room}"]`).waitFor();
// Sends without the page, as another device would.
const post = (of, room, content) => of.evaluate(async ([to, text]) => {
  const { call } = await import("/_kit/session.js");
  await call("POST", "/api/messages", { room: to, content: text });
}, [room, content]);
// A cut line is written to the console by the browser.
const forgetComplaints = () => { complaints.length = 0; };

await test("without a session the page asks to sign in", async () => {
  await page.goto(home);
  await page.locator("#user-name").waitFor();
  await shots(page, "sign-in");
});
forgetComplaints();

await test("a person signs in by a code, and a wrong code is refused", async () => {
  await page.locator("#user-name").fill("charlie@example.com");
  await page.locator("#user-name").press("Enter");
  await page.locator("#code").waitFor();
  const sent = await until("the code", Boolean, () => log.join("\n").match(/message to .*charlie.*?(\d{6})/)?.[1]);
  await page.locator("#code").fill(sent === "000000" ? "111111" : "000000");
  await page.locator("#code").press("Enter");
  await until("refused", (text) => text.length > 0, () => page.locator("#code-problem").textContent());
  await shots(page, "code");
  await page.locator("#code").fill(sent);
  await page.locator("#code").press("Enter");
  await connected(page);
  await until("the name", (text) => text === "Charlie Brown", () => page.locator("#who").textContent());
  await page.locator("#sign-out").click();
  await page.locator("#user-name").waitFor();
});
forgetComplaints();

const alice = await open();
const bob = await open();
page = alice;
await test("two people sign in by links and see that the other is here", async () => {
  await alice.goto(through(ready.signIn["alice@example.com"]));
  await joined(alice, "general");
  assert.deepEqual(await alice.locator(".rooms [data-room]").evaluateAll((all) => all.map((one) => one.dataset.room)), ["general", "ops"]);
  await message(alice, "a < b and c > d stay as they are typed.").waitFor();
  await bob.goto(through(ready.signIn["bob@example.com"]));
  await joined(bob, "general");
  await alice.locator('[data-person="bob@example.com"]').waitFor();
  await bob.locator('[data-person="alice@example.com"]').waitFor();
  await until("present", (text) => text === "Bob Smith is here", () => alice.locator("#present").textContent());
});

await test("typing is shown at the other and ends", async () => {
  await bob.locator("#message").pressSequentially("Hel");
  await until("typing", (text) => text === "Bob Smith is typing…", () => alice.locator("#typing").textContent());
  await bob.locator("#message").fill("");
  await until("typing ended", (text) => text === "", () => alice.locator("#typing").textContent());
});

await test("what is typed on the way into a room is shown there", async () => {
  await alice.locator('[data-room="ops"]').click();
  await joined(alice, "ops");
  await alice.evaluate(() => new Promise((resolve) => {
    // After the listener of the page, in the same task: the hub cannot have answered.
    addEventListener("hashchange", () => {
      const input = document.getElementById("message");
      input.value = "Hel";
      input.dispatchEvent(new Event("input"));
      resolve();
    }, { once: true });
    document.querySelector('[data-room="general"]').click();
  }));
  await until("typing", (text) => text === "Alice Johnson is typing…", () => bob.locator("#typing").textContent());
  await alice.locator("#message").fill("");
  await until("typing ended", (text) => text === "", () => bob.locator("#typing").textContent());
});

await test("a message appears at the other, is announced there, and its receipt comes back", async () => {
  await write(alice, "Is the deployment through?");
  await message(bob, "Is the deployment through?").waitFor();
  await until("announced", (text) => text.includes("Alice Johnson: Is the deployment through?"), () => bob.locator("#announced").textContent());
  await receipt(alice, "Is the deployment through?", "read");
  assert.match(await message(alice, "Is the deployment through?").textContent(), /Read by Bob Smith/);
  await once1(alice, "Is the deployment through?");
  assert.equal(await alice.locator("#message").inputValue(), "");
});

await test("Shift and Enter begin a line, and a text is never markup", async () => {
  await bob.locator("#message").fill("<b>one</b>");
  await bob.locator("#message").press("Shift+Enter");
  await bob.locator("#message").pressSequentially("two");
  await bob.locator("#message").press("Enter");
  await until("as typed", (texts) => texts.includes("<b>one</b>\ntwo"), () => alice.locator(".message-text").allTextContents());
});

await test("the conversation has no violations, on a desktop and a phone, light and dark", async () => {
  await write(bob, "Yes, since ten minutes. All replicas are healthy, and the error rate is where it was before.");
  await write(alice, "Great, thank you!");
  await receipt(alice, "Great, thank you!", "read");
  await shots(alice, "conversation");
});

// Opens the menu of a message and chooses.
async function act(of, text, action) {
  await message(of, text).first().hover();
  await message(of, text).first().locator(".message-actions").click();
  await of.getByRole("menuitem", { name: action }).click();
}

await test("a person answers a message, and the answer shows it", async () => {
  await write(alice, "Which version is it?");
  await message(bob, "Which version is it?").waitFor();
  await act(bob, "Which version is it?", "Reply");
  await until("about", (text) => text === "Reply to Alice Johnson Which version is it?", () => bob.locator("#composing").textContent());
  await shots(bob, "reply");
  await write(bob, "The second one");
  const quote = message(alice, "The second one").locator(".quote");
  await until("quoted", (text) => text.includes("Alice Johnson") && text.includes("Which version is it?"), () => quote.textContent());
  await quote.click();
  await alice.locator(".message.found").waitFor();
  assert.equal(await bob.locator("#composing").isVisible(), false);
  // Escape leaves an answer, and what was typed stays.
  await act(bob, "Which version is it?", "Reply");
  await bob.locator("#message").fill("kept");
  await bob.locator("#message").press("Escape");
  assert.equal(await bob.locator("#composing").isVisible(), false);
  assert.equal(await bob.locator("#message").inputValue(), "kept");
  await bob.locator("#message").fill("");
});

await test("a person edits a message, from the menu and by the keyboard", async () => {
  await write(alice, "It is runing");
  await receipt(alice, "It is runing", "read");
  await alice.locator("#message").fill("a draft");
  await act(alice, "It is runing", "Edit");
  assert.equal(await alice.locator("#message").inputValue(), "It is runing");
  await write(alice, "It is running");
  await message(bob, "It is running").waitFor();
  await until("edited", (text) => text.includes("edited"), () => message(bob, "It is running").textContent());
  assert.equal(await alice.locator("#message").inputValue(), "a draft", "the draft comes back");
  await alice.locator("#message").fill("");
  // The arrow up in an empty field edits the newest message.
  await alice.locator("#message").press("ArrowUp");
  await write(alice, "It is running now");
  await message(bob, "It is running now").waitFor();
  assert.equal(await message(bob, "It is runing").count(), 0);
});

await test("a change that overtakes the page of its message is not undone by the page", async () => {
  await alice.locator('[data-room="ops"]').click();
  await joined(alice, "ops");
  let release;
  const released = new Promise((resolve) => { release = resolve; });
  const isRead = new Promise((resolve) => {
    alice.route("**/api/messages/room/general*", async (route) => {
      const page = await route.fetch();
      resolve();
      await released;
      await route.fulfill({ response: page });
    });
  });
  await alice.locator('[data-room="general"]').click();
  await joined(alice, "general");
  await isRead;
  await bob.locator("#message").press("ArrowUp");
  await write(bob, "The third one");
  await until("edited", (text) => text.includes("edited"), () => message(bob, "The third one").textContent());
  // The answer to the editor comes after the event to the room.
  release();
  await message(alice, "The third one").waitFor();
  assert.equal(await message(alice, "The second one").count(), 0);
  await alice.unroute("**/api/messages/room/general*");
  await bob.locator("#message").press("ArrowUp");
  await write(bob, "The second one");
  await message(alice, "The second one").waitFor();
});

await test("a person deletes a message after a question, and a tombstone stays", async () => {
  await write(bob, "Not meant for here");
  await message(alice, "Not meant for here").waitFor();
  await act(bob, "Not meant for here", "Delete");
  await bob.getByRole("dialog").waitFor();
  await shots(bob, "delete");
  await bob.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await once1(alice, "Not meant for here");
  await act(bob, "Not meant for here", "Delete");
  await bob.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  for (const of of [alice, bob]) {
    await message(of, "This message was deleted.").waitFor();
    assert.equal(await message(of, "Not meant for here").count(), 0);
  }
  // A message of somebody else offers neither.
  await message(bob, "It is running now").hover();
  await message(bob, "It is running now").locator(".message-actions").click();
  assert.deepEqual(await bob.getByRole("menuitem").allTextContents(), ["Reply"]);
  await bob.keyboard.press("Escape");
});

await test("the menus of messages are one stop of the Tab key, and arrows move between them", async () => {
  await alice.locator("#message").focus();
  await alice.keyboard.press("Shift+Tab");
  assert.match(await alice.evaluate(() => document.activeElement.className), /message-actions/);
  const newest = await alice.evaluate(() => document.activeElement.closest(".message").dataset.id);
  await alice.keyboard.press("ArrowUp");
  assert.notEqual(await alice.evaluate(() => document.activeElement.closest(".message").dataset.id), newest);
  assert.equal(await alice.locator('.message-actions[tabindex="0"]').count(), 1);
});

await test("a search finds messages of the room and of all rooms, and shows them", async () => {
  await alice.locator("#search-open").click();
  await alice.locator("#search-text").fill("RUNNING");
  await alice.locator("#search-text").press("Enter");
  await until("found", (texts) => texts.length === 1 && texts[0].includes("It is running now"), () => alice.locator(".result").allTextContents());
  assert.equal(await alice.locator(".result mark").first().textContent(), "running");
  await shots(alice, "search");
  await alice.locator(".result").click();
  await alice.locator(".message.found", { hasText: "It is running now" }).waitFor();
  await alice.locator("#search-scope").selectOption("all");
  await alice.locator("#search-text").fill("does not see");
  await alice.locator("#search-text").press("Enter");
  await until("in ops", (texts) => texts.length === 1 && texts[0].includes("#ops"), () => alice.locator(".result").allTextContents());
  await alice.locator(".result").click();
  await until("room", (text) => text === "ops", () => alice.locator("#room").textContent());
  await alice.locator(".message.found", { hasText: "Bob does not see this room." }).waitFor();
  await alice.locator("#search-text").fill("no such words");
  await alice.locator("#search-text").press("Enter");
  await until("nothing", (text) => text.includes("Nothing found"), () => alice.locator("#search").textContent());
  await alice.locator("#search-text").press("Escape");
  assert.equal(await alice.locator("#search").isVisible(), false);
  // Bob is not in that room, and finds nothing of it.
  await bob.locator("#search-open").click();
  await bob.locator("#search-scope").selectOption("all");
  await bob.locator("#search-text").fill("does not see");
  await bob.locator("#search-text").press("Enter");
  await until("nothing", (text) => text.includes("Nothing found"), () => bob.locator("#search").textContent());
  await bob.locator("#search-close").click();
  await alice.locator('[data-room="general"]').click();
  await joined(alice, "general");
});

await test("a message whose confirmation is lost is sent again and stored once", async () => {
  wire.mute();
  // Without the event of a key, so that no call about typing waits for its answer in front of the message.
  await alice.locator("#message").evaluate((input) => { input.value = "Confirmed late"; });
  await alice.locator("#message").press("Enter");
  await receipt(alice, "Confirmed late", "pending");
  // Asked beside the line: the service has it, and the page cannot know.
  await until("stored", (texts) => texts.includes("Confirmed late"), async () => {
    const answer = await alice.context().request.get(`${ready.endpoint}api/messages/room/general`);
    return (await answer.json()).map(({ content }) => content);
  });
  await receipt(alice, "Confirmed late", "pending");
  wire.cut();
  await alice.locator("#banner-text").waitFor();
  wire.restore();
  await joined(alice, "general");
  await receipt(alice, "Confirmed late", "read");
  await once1(bob, "Confirmed late");
  await once1(alice, "Confirmed late");
  await until("no banner", (count) => count === 0, () => alice.locator("#banner-text").count());
});

await test("messages that are typed without a connection wait, and are sent in order", async () => {
  wire.cut();
  await alice.locator("#banner-text").waitFor();
  await write(alice, "Offline one");
  await write(alice, "Offline two");
  await receipt(alice, "Offline two", "pending");
  await shots(alice, "offline");
  wire.restore();
  await alice.locator("#banner button").click({ timeout: 2_000 }).catch(() => {});
  await receipt(alice, "Offline two", "read");
  await once1(bob, "Offline one");
  await once1(bob, "Offline two");
  const texts = await bob.locator(".message-text").allTextContents();
  assert.ok(texts.indexOf("Offline one") < texts.indexOf("Offline two"));
});

await test("the outbox survives a reload", async () => {
  await alice.route("**/chatHub/negotiate*", (route) => route.abort());
  wire.cut();
  wire.restore();
  await alice.locator("#banner-text").waitFor();
  await write(alice, "Before the reload");
  await receipt(alice, "Before the reload", "pending");
  await alice.reload();
  await receipt(alice, "Before the reload", "pending");
  await alice.unroute("**/chatHub/negotiate*");
  await receipt(alice, "Before the reload", "read");
  await once1(alice, "Before the reload");
  await once1(bob, "Before the reload");
});
forgetComplaints();

await test("a refused message says why, and is discarded", async () => {
  await write(alice, "x".repeat(1_001));
  await alice.locator('[data-receipt="refused"]').waitFor();
  await accessible(alice);
  await alice.locator('[data-receipt="refused"]').getByRole("button", { name: "Discard" }).click();
  await until("discarded", (count) => count === 0, () => alice.locator('[data-receipt="refused"]').count());
});

await test("unread messages of another room are counted at the room and in the title", async () => {
  await alice.locator('[data-room="ops"]').click();
  await joined(alice, "ops");
  await message(alice, "Bob does not see this room.").waitFor();
  await write(bob, "Anybody in general?");
  await until("title", (title) => title === "(1) ops · Chat", () => alice.title());
  assert.equal(await alice.locator('[data-room="general"] .badge').textContent(), "1");
  await alice.locator('[data-room="general"]').click();
  await message(alice, "Anybody in general?").waitFor();
  await until("seen", (title) => title === "general · Chat", () => alice.title());
  await receipt(bob, "Anybody in general?", "read");
});

await test("older messages come when the person scrolls up, and what was read stays in place", async () => {
  for (let number = 0; number < 40; number += 1) {
    await post(alice, "general", `History of Alice ${number}.`);
    await post(bob, "general", `History of Bob ${number}.`);
  }
  await alice.reload();
  await joined(alice, "general");
  await message(alice, "History of Bob 39.").waitFor();
  const shown = await alice.locator(".message").count();
  assert.equal(shown, 30);
  const first = alice.locator(".message").first();
  const id = await first.getAttribute("data-id");
  await alice.locator("#scroll").focus();
  await alice.evaluate(() => { document.getElementById("scroll").scrollTop = 150; });
  await until("a second page", (count) => count >= 60, () => alice.locator(".message").count());
  const box = await alice.locator(`[data-id="${id}"]`).boundingBox();
  assert.ok(box.y > 0 && box.y < 800, `the message that was read is at ${box.y}`);
  // Home goes on to the beginning, by the keyboard.
  await until("the beginning", (text) => text.includes("This is the beginning of general."), async () => {
    await alice.locator("#scroll").press("Home");
    return alice.locator(".history-state").textContent();
  });
  await message(alice, "Welcome! Open the second link in another window.").waitFor();
  const ids = await alice.locator(".message").evaluateAll((all) => all.map((one) => one.dataset.id));
  assert.equal(new Set(ids).size, ids.length);
  // Somebody who reads old messages is not moved by a new one.
  await write(bob, "News while you read");
  await alice.getByRole("button", { name: "New messages" }).click();
  await until("at the end", Boolean, () => message(alice, "News while you read").isVisible());
});

await test("messages of one moment are neither lost nor repeated by paging", async () => {
  await alice.evaluate(async () => {
    const { call } = await import("/_kit/session.js");
    const waited = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    // The limiter allows 60 messages in ten seconds, those of the tests before included.
    const post = async (content) => {
      for (let attempt = 0; attempt < 15; attempt += 1) {
        try {
          return await call("POST", "/api/messages", { room: "ops", content });
        } catch (error) {
          if (!error.message.includes("wait a moment")) throw error;
          await waited(1000);
        }
      }
      throw new Error("the limiter refuses for longer than its window");
    };
    // Many at once: some of them have the same time.
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 12 }, (_, number) => post(`Burst ${round} ${number}`)));
    }
    // The tests that follow write as well.
    await waited(10_000);
  });
  await alice.locator('[data-room="ops"]').click();
  await until("all", (count) => count === 60, async () => {
    await alice.locator("#scroll").press("Home");
    return alice.locator(".message", { hasText: /Burst \d+ \d+/ }).count();
  });
  const texts = await alice.locator(".message-text", { hasText: /Burst/ }).allTextContents();
  assert.equal(new Set(texts).size, 60);
  await alice.locator('[data-room="general"]').click();
  await joined(alice, "general");
});

await test("the page is used with the keyboard alone", async () => {
  await alice.locator("#message").focus();
  await alice.keyboard.type("Without a mouse");
  await alice.keyboard.press("Tab");
  assert.equal(await alice.evaluate(() => document.activeElement.id), "send");
  await alice.keyboard.press("Enter");
  await message(bob, "Without a mouse").waitFor();
  assert.equal(await alice.evaluate(() => document.activeElement.id), "message");
  await alice.locator('[data-room="ops"]').focus();
  await alice.keyboard.press("Enter");
  await until("room", (text) => text === "ops", () => alice.locator("#room").textContent());
});

await test("a person who leaves the room is not shown there any more", async () => {
  await until("gone", (count) => count === 0, () => bob.locator('[data-person="alice@example.com"]').count());
});

await test("signing out in one window ends the other", async () => {
  const second = await openIn(bob.context());
  await second.goto(home);
  await connected(second);
  await second.locator("#sign-out").click();
  await bob.locator("#user-name").waitFor();
});

await issuerSignIn({ program: PLANISPHERE, open, test, until, shots });
await automaticSignIn({ program: PLANISPHERE, open, test, until });

await test("nothing was thrown, and nothing written to the console but lost connections", async () => {
  assert.deepEqual(exceptions, []);
  const expected = /Failed to load resource|WebSocket/;
  assert.deepEqual(complaints.filter((text) => !expected.test(text)), []);
});

await browser.close();
await wire.close();
service.kill();
console.log(`chat: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
