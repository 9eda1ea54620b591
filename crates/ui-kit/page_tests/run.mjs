// Uses the gallery of the UI kit in a browser: behaviour of its elements, axe-core, pictures in both schemes.
// PLANISPHERE and CHROMIUM name the programs, ARTEFACTS the folder for pictures.

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
const service = spawn(PLANISPHERE, ["notifications", "serve", "--demo", "--port", "0", "--ready-json"], { stdio: ["ignore", "pipe", "inherit"] });
const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
const { endpoint } = JSON.parse(line).ready;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
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
  }
}

async function open(width, height, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${endpoint}_kit`);
  await page.locator("body[data-ready]").waitFor();
  return { page, complaints, close: () => context.close() };
}

for (const [scheme, width] of [["light", 1400], ["dark", 1400], ["light", 390], ["dark", 390], ["light", 2000]]) {
  await test(`the gallery is clean in ${scheme} at ${width} px`, async () => {
    const { page, complaints, close } = await open(width, 900, scheme);
    await page.screenshot({ path: join(ARTEFACTS, `kit-${scheme}-${width}.png`), fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
    // The driver evaluates outside of the page's policy, so the policy stays as it is served.
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`), []);
    assert.deepEqual(complaints, []);
    await close();
  });
}

const { page, close } = await open(1400, 900, "light");
const grid = page.getByRole("grid", { name: "100,000 orders" });

await test("a table of 100,000 rows keeps few of them and reaches the last by keyboard", async () => {
  await grid.focus();
  await page.keyboard.press("End");
  await page.locator(".grid-row.active", { hasText: "order-99999" }).waitFor();
  const rows = await grid.locator(".grid-row").count();
  assert.ok(rows < 100, `${rows} rows exist`);
  assert.equal(await grid.getAttribute("aria-rowcount"), "100001");
  await page.keyboard.press("Enter");
  await page.getByText("Opened order-99999.").waitFor();
});

await test("scrolling uses the rows that are there: no element is created, and the layout is not read", async () => {
  const seen = await grid.evaluate(async (node) => {
    const frame = () => new Promise(requestAnimationFrame);
    const body = node.querySelector(".grid-body");
    node.scrollTop = 40_000;
    await frame();
    await frame();
    let created = 0;
    const watch = new MutationObserver((records) => { for (const record of records) created += [...record.addedNodes].filter((one) => one.classList?.contains("grid-row")).length; });
    watch.observe(body, { childList: true });
    const { getComputedStyle: read } = window;
    let styleReads = 0;
    window.getComputedStyle = (...given) => { styleReads += 1; return read(...given); };
    for (let at = 0; at < 60; at += 1) {
      node.scrollTop += 180;
      await frame();
    }
    await frame();
    window.getComputedStyle = read;
    watch.disconnect();
    const first = [...body.children].map((row) => Number(row.getAttribute("aria-rowindex"))).sort((left, right) => left - right);
    const isWhole = first.every((index, at) => at === 0 || index === first[at - 1] + 1);
    return { created, styleReads, isWhole, top: node.scrollTop, from: first[0], to: first.at(-1) };
  });
  assert.ok(seen.created <= 2, `${seen.created} rows were created`);
  assert.equal(seen.styleReads, 0);
  assert.ok(seen.isWhole && seen.from * 36 < seen.top && seen.to * 36 > seen.top + 320, JSON.stringify(seen));
});

await test("a column sorts in both directions", async () => {
  await grid.getByRole("button", { name: "Total" }).click();
  assert.equal(await grid.getByRole("columnheader", { name: "Total" }).getAttribute("aria-sort"), "ascending");
  await page.keyboard.press("Enter");
  assert.equal(await grid.getByRole("columnheader", { name: "Total" }).getAttribute("aria-sort"), "descending");
  await grid.focus();
  await page.keyboard.press("Home");
  assert.match(await page.locator(".grid-row.active").textContent(), /9,999/);
});

await test("a tree opens and closes by arrow keys", async () => {
  const root = page.getByRole("treeitem", { name: "shop", exact: true });
  await root.focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await root.getAttribute("aria-expanded"), "false");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("treeitem", { name: "orders", exact: true }).waitFor();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "orders");
  await page.getByRole("treeitem", { name: "broken" }).click();
  await page.getByText("The server cannot be reached. Close and open it to try again.").waitFor();
});

await test("a form names what is wrong and focuses it", async () => {
  await page.getByLabel("Throughput").fill("450");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Give a multiple of 100.").waitFor();
  await page.getByText("Give a value.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.name), "partitionKey");
});

await test("the editor completes words and does not trap the focus", async () => {
  const area = page.getByRole("textbox", { name: "Query", exact: true });
  await area.fill("SELECT c.cu");
  await area.press("Control+Space");
  await page.getByRole("option", { name: /customer property/ }).first().waitFor();
  await area.press("Enter");
  assert.equal(await area.inputValue(), "SELECT c.customer");
  await area.press("Escape");
  await area.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Query");
});

await test("a stream that breaks goes on behind its last event", async () => {
  await page.locator("#stream-lines li", { hasText: "connected after 3" }).first().waitFor();
  await page.locator(".stream-state", { hasText: "Connecting again" }).first().waitFor();
});

await test("every mistake in JSON has a line and a column, and only mistakes have", async () => {
  const places = await page.evaluate(async () => {
    const { jsonProblem } = await import("/_kit/json_problem.js");
    const isRight = (text) => { try { JSON.parse(text); return true; } catch { return false; } };
    let seed = 7;
    const below = (bound) => { seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648; return seed % bound; };
    const whole = ['{"a": [1, -2.5e+3, true, null, "x\\u00e9\\n"], "b": {"c": {}}, "d": []}', "[[[]]]", '"t"', "-0.5E-7", '{\n "id": "x",\n "n": 1\n}'];
    const bits = ['"', ",", ":", "{", "}", "[", "]", "\\", "\n", "\t", " ", "0", ".", "-", "+", "e", "true", "nul", "'", "é", "\u0001", "//", "NaN", "\u00a0", "🙂", "$"];
    const wrong = [];
    for (let round = 0; round < 20_000; round += 1) {
      let text = whole[below(whole.length)];
      for (let change = below(3); change >= 0; change -= 1) {
        const at = below(text.length + 1);
        text = text.slice(0, at) + (below(2) ? bits[below(bits.length)] : "") + text.slice(at + below(3));
      }
      const found = jsonProblem(text);
      if (isRight(text) !== (found === null) || (found && !(found.line >= 1 && found.column >= 1))) wrong.push(text);
    }
    const deep = jsonProblem("[".repeat(100_000));
    return { wrong, deep: deep.column, some: ["", "{", '{"a":1,}', '{\n  "a": 1\n  "b": 2\n}', "[1 2]", '{"🙂":x}', '{"a":"b\n"}', '{"a":01}', "{}{}"].map((text) => { const { line, column } = jsonProblem(text); return `${line}:${column}`; }) };
  });
  assert.deepEqual(places.wrong, []);
  assert.equal(places.deep, 100_001);
  assert.deepEqual(places.some, ["1:1", "1:2", "1:8", "3:3", "1:4", "1:6", "1:8", "1:6", "1:3"]);
});

await test("a dialog takes the focus and gives it back", async () => {
  const opener = page.getByRole("button", { name: "Dialog", exact: true });
  await opener.click();
  await page.getByRole("dialog", { name: /Delete the container/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Dialog");
});

await test("a menu is used by keyboard", async () => {
  await page.getByRole("button", { name: "More actions" }).press("Enter");
  await page.getByRole("menuitem", { name: "Duplicate" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("Deleted.").waitFor();
});

await test("a toast can be undone", async () => {
  await page.getByRole("button", { name: "Toast with undo" }).click();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("It is back.").waitFor();
});

await test("light and dark can be chosen, and the choice is kept", async () => {
  await page.getByRole("button", { name: "Change to dark" }).click();
  await page.reload();
  await page.locator("body[data-ready]").waitFor();
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
});

await close();
await browser.close();
service.kill("SIGTERM");
await once(service, "exit");
console.log(`kit: ${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
