// Uses the page of the tracker in a browser as a person does, against a demonstration it starts itself.
// PLANISPHERE and CHROMIUM name the programs, ARTEFACTS the folder for screenshots.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import readline from "node:readline";
import { chromium } from "playwright-core";

const { PLANISPHERE, CHROMIUM, ARTEFACTS } = process.env;
mkdirSync(ARTEFACTS, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const service = spawn(PLANISPHERE, ["secret-migration", "serve", "--demo", "--port", "0", "--ready-json"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
const { ready } = JSON.parse(line);
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
const PHONE = { width: 390, height: 844 };
// A picture in both themes, and one as a phone shows it, where nothing may be wider than the screen.
async function shots(name) {
  const save = (kind) => page.screenshot({ path: join(ARTEFACTS, `${name}-${kind}.png`) });
  const size = page.viewportSize();
  await page.emulateMedia({ colorScheme: "light" });
  await save("light");
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
  await page.goto(ready.endpoint);
  await page.locator("#sign-in").waitFor();
  await accessible();
});
// The request for the current user is answered by 401, which the browser writes to its console.
complaints.length = 0;

await test("the board counts the cluster", async () => {
  await page.goto(ready.signIn.bob);
  await page.locator("body[data-ready]").waitFor();
  const card = page.locator('[data-cluster="dev-1"]');
  await card.waitFor();
  assert.match(await card.textContent(), /PENDING24/);
  await accessible();
  await shots("board-before");
});

await test("a wave is planned, started, followed live and finishes", async () => {
  await section("waves");
  await page.locator("#plan-wave").click();
  await page.locator('input[name="id"]').fill("first");
  await page.locator('input[name="namespaces"]').fill("shop");
  await page.locator('input[name="stop"]').fill("0.5");
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  const wave = page.locator('[data-wave="first"]');
  await wave.waitFor();
  assert.match(await wave.textContent(), /0 of 8 migrated/);
  await wave.getByRole("button", { name: "Start" }).click();
  // No reload: the stream brings the progress.
  await until("finished", (text) => /8 of 8 migrated/.test(text) && /FINISHED/.test(text), () => wave.textContent());
  await accessible();
});

await test("a slow wave is stopped with the button", async () => {
  await page.locator("#plan-wave").click();
  await page.locator('input[name="id"]').fill("slow");
  await page.locator('input[name="namespaces"]').fill("billing");
  await page.locator('input[name="rate"]').fill("20");
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  const wave = page.locator('[data-wave="slow"]');
  await wave.getByRole("button", { name: "Start" }).click();
  await wave.getByRole("button", { name: "Stop" }).waitFor();
  await shots("wave-running");
  await wave.getByRole("button", { name: "Stop" }).click();
  await until("paused", (text) => /PAUSED/.test(text), () => wave.textContent());
});

await test("a workload has its timeline and is rolled back after a question", async () => {
  await page.goto(`${ready.endpoint}#/workload/dev-1/shop/shop-0`);
  await until("migrated", (text) => text === "MIGRATED", () => page.locator("#status").textContent());
  const expected = ["discover", "claim", "read-source", "switch", "finish"];
  await until("every step", (steps) => expected.every((step) => steps.includes(step)), () => page.locator("#timeline .what").allTextContents());
  await page.locator("#roll-back").click();
  const question = page.getByRole("dialog");
  await question.getByRole("button", { name: "Roll back" }).click();
  await until("a reason is asked for", (text) => /Give a reason/.test(text), () => question.textContent());
  await question.locator('input[name="reason"]').fill("incident 17");
  assert.doesNotMatch(await question.textContent(), /Give a reason/);
  await shots("rollback");
  await question.getByRole("button", { name: "Roll back" }).click();
  await until("rolled back", (text) => text === "ROLLED-BACK", () => page.locator("#status").textContent());
  assert.equal(await page.locator("#backend").textContent(), "hashi");
  await until("the reason", (text) => /roll back.*incident 17.*bob/.test(text), () => page.locator("#timeline").textContent());
  await accessible();
  await shots("workload");
});

await test("the board shows what is left over time", async () => {
  await section("board");
  await page.locator('[data-cluster="dev-1"] svg').first().waitFor();
  assert.match(await page.locator('[data-cluster="dev-1"]').textContent(), /Left to migrate/);
  await shots("board");
});

await test("the workloads of a cluster are filtered by status and namespace", async () => {
  await page.goto(`${ready.endpoint}#/workload/dev-1`);
  const count = () => page.locator("#count").textContent();
  await until("all", (text) => text === "24 workloads", count);
  await page.locator('select[name="status"]').selectOption("ROLLED-BACK");
  await until("one", (text) => text === "1 workload", count);
  await page.locator('select[name="status"]').selectOption("");
  await page.locator('input[name="namespace"]').fill("billing");
  await page.locator('input[name="namespace"]').press("Enter");
  await until("a namespace", (text) => text === "8 workloads", count);
  // All of them are in view, not one beneath the head.
  await until("in view", (rows) => rows === 8, () => page.locator(".grid-row:visible").evaluateAll((rows) => {
    const { bottom } = rows[0].closest(".grid").getBoundingClientRect();
    return rows.filter((row) => row.getBoundingClientRect().bottom <= bottom).length;
  }));
  await shots("workloads");
  await page.locator('[role="row"]', { hasText: "billing-0" }).first().dblclick();
  await until("opened", (address) => address.endsWith("#/workload/dev-1/billing/billing-0"), () => page.evaluate(() => location.hash));
});

await test("a failed attempt is in the list of errors", async () => {
  await page.goto(`${ready.endpoint}#/workload/dev-1/search/search-0`);
  await page.getByRole("button", { name: "Migrate" }).click();
  await until("failed", (text) => /the target has other data/.test(text), () => page.locator("[data-workload]").textContent());
  await section("errors");
  await until("listed", (text) => /dev-1:search:search-0.*the target has other data/.test(text), () => page.locator("#errors").textContent());
  await shots("errors");
});

await test("a viewer sees everything and has no buttons", async () => {
  page = await open();
  await page.goto(ready.signIn.carol);
  await page.locator("body[data-ready]").waitFor();
  await page.locator('[data-cluster="dev-1"]').waitFor();
  assert.equal(await page.getByRole("button", { name: "Roll back" }).count(), 0);
  await section("waves");
  await page.locator('[data-wave="first"]').waitFor();
  assert.equal(await page.getByRole("button", { name: "Start" }).count(), 0);
});

await test("nothing was written to the console", async () => assert.deepEqual(complaints, []));

await browser.close();
service.kill();
console.log(`secret-migration: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
