// Uses the page of the event store in a browser as an operator does, against a demonstration it starts itself.
// PLANISPHERE and CHROMIUM name the programs, ARTEFACTS the folder for screenshots.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import readline from "node:readline";
import { chromium } from "playwright-core";

const { PLANISPHERE, CHROMIUM, ARTEFACTS } = process.env;
mkdirSync(ARTEFACTS, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const service = spawn(PLANISPHERE, ["event-store", "serve", "--demo", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
const tokens = {};
const signIn = {};
let endpoint = "";
for await (const line of readline.createInterface({ input: service.stdout })) {
  const [, tenant, token] = /^Token of (?:an )?(\S+): (\S+)$/.exec(line) ?? [];
  if (tenant) tokens[tenant] = token;
  const [, name, link] = /^Sign in as (\S+): (\S+)$/.exec(line) ?? [];
  if (name) signIn[name] = link;
  endpoint = /^Event store at (\S+)/.exec(line)?.[1] ?? endpoint;
  if (line === "Ready") break;
}
const isRoot = process.getuid?.() === 0;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: isRoot ? ["--no-sandbox"] : [] });
const complaints = [];
let page = await open();

async function open() {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 } });
  const opened = await context.newPage();
  opened.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  opened.on("pageerror", (error) => complaints.push(error.message));
  return opened;
}

async function post(tenant, path, body) {
  const response = await fetch(new URL(path, endpoint), {
    method: "POST", headers: { authorization: `Bearer ${tokens[tenant]}`, "content-type": "application/json" }, body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json().catch(() => null) };
}
const append = (tenant, events, condition) => post(tenant, "/api/v1/events", { events, condition });

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

const section = (name) => page.locator(`#nav-${name}`).click();
const visit = (...parts) => page.goto(`${endpoint}#/${parts.map(encodeURIComponent).join("/")}`);
const rows = () => page.locator(".grid-row:visible").allTextContents();
const PHONE = { width: 390, height: 844 };
// A picture in both themes, and one as a phone shows it, where nothing may be wider than the screen.
async function shots(name) {
  const save = (kind) => page.screenshot({ path: join(ARTEFACTS, `${name}-${kind}.png`) });
  const size = page.viewportSize();
  await page.emulateMedia({ colorScheme: "light" });
  await save("light");
  await accessible();
  await page.emulateMedia({ colorScheme: "dark" });
  await save("dark");
  await accessible();
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE);
  await save("phone");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.width, `${name}: ${width} pixels wide on a phone`);
  await page.setViewportSize(size);
}
async function accessible() {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.target.join(" ")).join(", ")}`), []);
}

await test("without a session the page asks to sign in", async () => {
  await page.goto(endpoint);
  await page.locator("#sign-in").waitFor();
  await accessible();
});
// The request for the current user is answered by 401, which the browser writes to its console.
complaints.length = 0;

await test("somebody of a tenant gets no further", async () => {
  await page.goto(signIn.ann);
  await page.locator("body[data-ready]").waitFor();
  await until("refused", (text) => /You need the role event-store-admin/.test(text), () => page.locator("main").textContent());
  assert.equal(await page.locator("#tenants").count(), 0);
  await shots("refused");
});

await test("tenants are listed with their numbers", async () => {
  page = await open();
  await page.goto(signIn.operator);
  await page.locator("body[data-ready]").waitFor();
  const card = page.locator('[data-tenant="north-school"]');
  await card.waitFor();
  assert.match(await card.textContent(), /Events5Tags4/);
  await shots("tenants");
});

await test("a tenant is registered, and dropped after its name is written", async () => {
  await page.locator("#register").click();
  const dialog = page.getByRole("dialog");
  await dialog.locator('input[name="service"]').fill("Bad Id");
  await dialog.getByRole("button", { name: "Register" }).click();
  await until("refused", (text) => /blank|white|a to z|service/i.test(text), () => dialog.locator("[role=alert]").last().textContent());
  await dialog.locator('input[name="service"]').fill("west-school");
  await dialog.getByRole("button", { name: "Register" }).click();
  const card = page.locator('[data-tenant="west-school"]');
  await card.waitFor();
  await card.getByRole("button", { name: "Drop" }).click();
  const question = page.getByRole("dialog");
  await question.getByRole("button", { name: "Drop" }).click();
  await until("asked again", (text) => /Write west-school to confirm/.test(text), () => question.textContent());
  await shots("drop");
  await question.locator('input[name="again"]').fill("west-school");
  await question.getByRole("button", { name: "Drop" }).click();
  await until("gone", (count) => count === 0, () => card.count());
  // The browser writes the refused registration to its console.
  complaints.length = 0;
});

let caused = "";
await test("events appear as they are appended, and filters hold for new ones", async () => {
  await visit("events", "north-school");
  const count = () => page.locator("#count").textContent();
  await until("five events", (text) => text === "5 events", count);
  await until("live", (text) => text === "Live", () => page.locator(".stream-state").textContent());
  const made = await append("north-school", [{ type: "TermStarted", payload: { term: "spring" }, tags: ["Term:spring"] }]);
  assert.equal(made.status, 201);
  await until("on top", (found) => /TermStarted/.test(found[0] ?? ""), rows);
  assert.equal(await count(), "6 events");
  await append("south-school", [{ type: "ForeignTerm", payload: {}, tags: ["Term:spring"] }]);
  const cause = made.body.events[0].id;
  const next = await append("north-school", [{ type: "PlanMade", payload: { lessons: 12 }, tags: ["Term:spring"], causationId: cause, correlationId: "spring-2026" }]);
  const last = await append("north-school", [{ type: "PlanPrinted", payload: {}, tags: ["Term:spring"], causationId: next.body.events[0].id }]);
  caused = last.body.events[0].id;
  await until("all of them", (text) => text === "8 events", count);
  assert.ok(!(await rows()).some((row) => /ForeignTerm/.test(row)), "nothing of another tenant");
  await shots("events");
  await page.locator('input[name="types"]').fill("PlanMade, StudentCreated");
  await page.locator('input[name="types"]').press("Enter");
  await until("filtered", (text) => text === "4 events", count);
  await append("north-school", [{ type: "Unasked", payload: {} }, { type: "PlanMade", payload: {}, tags: ["Term:summer"] }]);
  await until("only the matching one", (text) => text === "5 events", count);
  await page.locator('input[name="tags"]').fill("no tag");
  await page.locator('input[name="tags"]').press("Enter");
  await until("the wrong tag is named", (text) => /no tag/.test(text), () => page.locator(".filters").textContent());
  // The browser writes the refusal to its console.
  complaints.length = 0;
});

await test("an event shows its tags and what led to it", async () => {
  await visit("events", "north-school", caused);
  await page.locator("#chain").waitFor();
  const chain = await page.locator("#chain li").allTextContents();
  assert.deepEqual(chain.map((text) => text.split(" ")[0]), ["TermStarted", "PlanMade", "PlanPrinted"]);
  assert.equal(await page.locator("#event-tags").textContent(), "Term:spring");
  await shots("event");
  await page.locator("#chain a").nth(1).click();
  await until("the cause", (text) => /lessons/.test(text), () => page.locator("#event").textContent());
  await page.locator("#event-tags a").first().click();
  await until("its tag", (text) => text === "Term:spring", () => page.locator("h1:visible").textContent());
});

await test("a tag has its history and its state", async () => {
  await visit("tags", "north-school");
  await page.locator('input[name="group"]').fill("Student");
  await page.locator('input[name="group"]').press("Enter");
  await until("three students", (text) => text === "3 tags", () => page.locator("#count").textContent());
  await shots("tags");
  await page.locator(".grid-row", { hasText: "Student:ann" }).first().click();
  await until("the state", (text) => /"biology"/.test(text), () => page.locator("#state").textContent());
  await until("the history", (found) => found.length === 2 && /StudentCreated/.test(found[0]) && /StudentEnrolled/.test(found[1]), rows);
  await shots("tag");
  await page.locator('select[name="projector"]').selectOption("ClassRoom");
  await until("another projector", (text) => !/ann of north-school/.test(text), () => page.locator("#state").textContent());
});

await test("projections show how far they are, and a rebuild is followed", async () => {
  const many = Array.from({ length: 90 }, (_, at) => ({ type: "Noted", payload: { at }, tags: ["Note:1"] }));
  for (let at = 0; at < 6; at += 1) assert.equal((await append("south-school", many)).status, 201);
  await visit("projections", "south-school");
  const card = page.locator('[data-projection="School"]');
  await until("caught up", (text) => /Events546/.test(text) && /Behind0/.test(text), () => card.textContent());
  await card.locator("svg[role=img]").waitFor();
  await card.getByRole("button", { name: "Rebuild" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rebuild" }).click();
  await until("rebuilt", (text) => /live/.test(text) && /Events546/.test(text), () => card.textContent());
  await shots("projections");
});

await test("conflicts name the tags with their versions", async () => {
  await section("conflicts");
  await until("none yet", (text) => /No conflicts/.test(text), () => page.locator("#conflicts").textContent());
  const refused = await append("north-school", [{ type: "StudentRenamed", payload: {}, tags: ["Student:ann"] }], { tags: { "Student:ann": null } });
  assert.equal(refused.status, 409);
  const card = page.locator('[data-conflict="north-school"]');
  await card.waitFor();
  assert.match(await card.textContent(), /StudentRenamed.*Student:ann.*empty/);
  await shots("conflicts");
  await card.locator("a", { hasText: "Student:ann" }).click();
  await until("its tag", (text) => text === "Student:ann", () => page.locator("h1:visible").textContent());
});

await test("another tenant is chosen in place", async () => {
  await section("events");
  await page.locator('select[name="tenant"]:visible').waitFor();
  await until("both tenants", (count) => count >= 2, () => page.locator('select[name="tenant"]:visible option').count());
  await page.locator('select[name="tenant"]:visible').selectOption("south-school");
  await until("the address", (hash) => hash === "#/events/south-school", () => page.evaluate(() => location.hash));
  await until("its events", (found) => found.some((row) => /Noted/.test(row)), rows);
});

await test("the keyboard leads through the list", async () => {
  await page.locator('.grid[role="grid"]:visible').focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator("[data-event]").waitFor();
});

await test("signing out ends it", async () => {
  await page.locator("#sign-out").click();
  await page.locator("#sign-in").waitFor();
  assert.equal(await page.locator("#panel-events").isVisible(), false);
  complaints.length = 0;
});

await test("nothing was written to the console", async () => assert.deepEqual(complaints, []));

await browser.close();
service.kill();
console.log(`event-store: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
