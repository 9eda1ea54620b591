// Uses the world builder in a browser as a person does, against a demonstration it starts itself.
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

const service = spawn(PLANISPHERE, ["worlds", "serve", "--demo", "--port", "0", "--ready-json", "--set", "ChangeFeed:PollIntervalMs=100"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
const { ready } = JSON.parse(line);

const isRoot = process.getuid?.() === 0;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: isRoot ? ["--no-sandbox"] : [] });
const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: "reduce" });
const page = await context.newPage();
const complaints = [];
page.on("pageerror", (error) => complaints.push(error.message));

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

async function checkAccessibility() {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.target.join(" ")).join(", ")}`), []);
}
const screenshot = (name) => page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
// The label of a row is a sign, a space and the name.
const row = (name) => page.getByRole("treeitem", { name: new RegExp(`^\\S+ ${name}$`, "u") });
const age = () => page.getByRole("textbox", { name: "Age", exact: true });
const choose = (name) => row(name).locator(".branch").first().click();

await test("without a session the page asks to sign in", async () => {
  await page.goto(ready.endpoint);
  await page.locator("#sign-in").waitFor();
  await checkAccessibility();
});

await test("the link signs in and the world of the demonstration is listed", async () => {
  await page.goto(ready.signIn.ann);
  await page.locator("body[data-ready]").waitFor();
  await page.getByRole("link", { name: "Eldoria" }).click();
  await row("Eldoria").waitFor();
  await row("Arcanis").waitFor();
  await page.locator("#entity-title", { hasText: "Eldoria" }).waitFor();
  await checkAccessibility();
  await screenshot("world");
});

await test("branches open by click and by keys", async () => {
  await choose("Arcanis");
  await row("Valoria").waitFor();
  await page.locator("#entity-title", { hasText: "Arcanis" }).waitFor();
  await row("Valoria").locator(".branch").first().click();
  await row("Silverwood").waitFor();
  await row("Silverwood").focus();
  await page.keyboard.press("ArrowRight");
  await row("Lanternhollow").waitFor();
});

await test("an entity is created, saved and shown in the tree by itself", async () => {
  await choose("Lanternhollow");
  await page.locator("#entity-title", { hasText: "Lanternhollow" }).waitFor();
  await page.locator("#add").click();
  await page.locator("#new-type").selectOption("Character");
  await page.locator("#new-name").fill("Mira Ashdown");
  await page.locator("#new-schema").selectOption("fantasy-character");
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator("#entity-title", { hasText: "Mira Ashdown" }).waitFor();
  await age().fill("-1");
  await page.locator("#save").click();
  await page.getByText("Give at least 0.").waitFor();
  await age().fill("31");
  await page.locator("#entity-name").fill("Mira of the Lanterns");
  await page.locator("#save").click();
  await page.locator("#entity-title", { hasText: "Mira of the Lanterns" }).waitFor();
  assert.equal(await age().inputValue(), "31");
  await row("Mira of the Lanterns").waitFor();
  await screenshot("entity");
});

await test("search finds as one types", async () => {
  await page.locator("#search").fill("port");
  await page.locator("#found button", { hasText: "Port Amber" }).first().click();
  await page.locator("#entity-title", { hasText: "Port Amber" }).waitFor();
  await page.locator("#search").fill("");
});

await test("a move that a rule forbids is refused with the rule, an allowed one happens", async () => {
  await page.locator("#search").fill("mira");
  await page.locator("#found button", { hasText: "Mira" }).click();
  await page.locator("#entity-title", { hasText: "Mira" }).waitFor();
  const move = async (to) => {
    await page.locator("#move").click();
    await page.locator("#new-parent").fill(to);
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  };
  await move("House rules");
  await page.getByText("Character may not be nested in Note").waitFor();
  await page.getByRole("button", { name: "Close the message" }).first().click();
  await move("Gullwatch");
  await page.locator(".crumbs", { hasText: "Gullwatch" }).waitFor();
});

await test("a delete can be undone, also from the trash", async () => {
  await page.locator("#delete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("#entity-title", { hasText: "Mira" }).waitFor();
  await page.locator("#delete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.locator("#entity-title", { hasText: "Gullwatch" }).waitFor();
  await page.locator("#trash").click();
  await page.locator("#trash-list", { hasText: "Mira" }).waitFor();
  await screenshot("trash");
  await page.locator("#trash-list").getByRole("button", { name: "Restore" }).first().click();
  await page.getByText("The trash is empty").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
});

await test("a world is created, and an exported one can be fetched", async () => {
  const href = await page.locator("#export").getAttribute("href");
  const bytes = await page.evaluate(async (path) => (await (await fetch(path)).arrayBuffer()).byteLength, href);
  assert.ok(bytes > 10_000, `${bytes}`);
  await page.locator("#all-worlds").click();
  await page.locator("#new-world").click();
  await page.locator("#world-name").fill("<b>Mine</b>");
  await page.getByRole("button", { name: "Create" }).click();
  await page.locator("#entity-title", { hasText: "<b>Mine</b>" }).waitFor();
});

await test("the page works on a phone", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide}`);
  await checkAccessibility();
  await screenshot("phone");
});

await test("nothing failed in the page", async () => assert.deepEqual(complaints, []));

await browser.close();
service.kill("SIGTERM");
const [code] = await once(service, "exit");
await test("the service ends by itself on a signal", async () => assert.equal(code, 0));
console.log(`pages: ${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
