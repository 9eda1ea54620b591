// Uses the explorer in a browser as a person does, part by part, against a server it starts itself.
// PLANISPHERE and CHROMIUM name the programs, ARTEFACTS the folder for pictures.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { fill, order, send, startServer } from "./account.mjs";
import { deeperTests } from "./deeper.mjs";
import { programTests } from "./programs.mjs";
import { rougherTests } from "./rougher.mjs";

const { PLANISPHERE, CHROMIUM, ARTEFACTS } = process.env;
mkdirSync(ARTEFACTS, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const account = await startServer(PLANISPHERE);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce", acceptDownloads: true });
const page = await context.newPage();
page.setDefaultTimeout(20_000);
const complaints = [];
page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
page.on("pageerror", (error) => complaints.push(error.stack));

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
const picture = async (name) => {
  await page.evaluate(() => document.querySelectorAll(".toast").forEach((toast) => toast.remove()));
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
};
const go = async (section) => { await page.goto(`${account.origin}/_explorer#/${section}`); };
async function clean() {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(", ")}`), []);
}
// Refusals are written to the console by the browser itself; they are expected in these tests.
const expectRefusals = () => { complaints.length = 0; };
const toastText = (text) => page.locator(".toast", { hasText: text }).first().waitFor();

await fill(account);

await test("1 sign-in: nothing without the key, a wrong one is refused, the key begins a session", async () => {
  await page.goto(`${account.origin}/_explorer`);
  await page.locator("#key").waitFor();
  await clean();
  await picture("1-sign-in");
  assert.equal((await page.evaluate(() => fetch("/dbs").then((answer) => answer.status))), 401);
  await page.locator("#key").fill("d3Jvbmc=");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("This is not the key of this account.").waitFor();
  await page.locator("#key").fill(account.key);
  await page.keyboard.press("Enter");
  await page.locator("body[data-ready=true]").waitFor();
  const [cookie] = await context.cookies();
  assert.ok(cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookie));
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.equal(kept.includes(account.key), false);
  expectRefusals();
});

await test("1 sign-in: the printed link signs in and leaves no token in the address", async () => {
  const other = await browser.newContext();
  const tab = await other.newPage();
  await tab.goto(account.explorer);
  await tab.locator("body[data-ready=true]").waitFor();
  assert.equal(new URL(tab.url()).hash.includes("token"), false);
  await other.close();
});

await test("2 tree: databases open, a container is created, changed after a review, and deleted", async () => {
  await page.getByRole("treeitem", { name: "shop", exact: true }).click();
  await page.getByRole("treeitem", { name: "orders", exact: true }).waitFor();
  await page.getByRole("button", { name: "Actions of shop" }).click();
  await page.getByRole("menuitem", { name: "New container" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Id").fill("a/b");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("none of / \\ ? #").waitFor();
  await dialog.getByLabel("Id").fill("odd name é");
  await dialog.getByLabel("Partition key").fill("/tenant, /user");
  await clean();
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: /odd name é/ }).waitFor();
  await picture("2-tree");
  await page.getByRole("button", { name: "Actions of odd name é" }).click();
  await page.getByRole("menuitem", { name: "Delete container" }).click();
  await page.getByText("0 items, their versions").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await toastText("is deleted");
  expectRefusals();
});

await test("2 tree: settings show what they will do before they are applied", async () => {
  await go("settings/shop/orders");
  await page.getByLabel("Time to live").fill("86400");
  await page.getByLabel("Indexing policy").fill('{"indexingMode": "consistent", "automatic": true, "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/\\"_etag\\"/?"}, {"path": "/lines/*"}]}');
  await clean();
  await page.locator("#review").click();
  await page.getByText("250 items are indexed again, in the background").waitFor();
  await page.getByText("none of 250 items expires at once").waitFor();
  await picture("2-settings");
  await page.getByRole("button", { name: "Apply" }).click();
  await toastText("The settings are changed.");
  const stored = JSON.parse((await send(account, "GET", "/dbs/shop/colls/orders")).text);
  assert.equal(stored.defaultTtl, 86400);
});

await test("3 items: a page, the next by scrolling, a filter, an invalid one is reported", async () => {
  await go("items/shop/orders");
  await page.getByText("100 and more items").waitFor();
  await page.getByRole("grid", { name: "Items" }).focus();
  await page.keyboard.press("End");
  await page.getByText("200 and more items").waitFor();
  await page.locator("#filter").fill("c.total >= 490");
  await page.keyboard.press("Enter");
  await page.getByText(/^\d+ items · /).waitFor();
  await page.locator("#filter").fill("c.total >=");
  await page.keyboard.press("Enter");
  await page.locator("#filter-problem:not(:empty)").waitFor();
  await page.locator("#filter").fill("");
  await page.keyboard.press("Enter");
  await page.getByText("100 and more items").waitFor();
  expectRefusals();
});

await test("3 items: one is edited; invalid JSON is reported; exact numbers stay", async () => {
  await send(account, "POST", "/dbs/shop/colls/orders/docs", { headers: { "x-ms-documentdb-partitionkey": '["ada"]' }, body: { id: "odd id é 100%", customer: "ada", total: 1 } });
  await page.getByRole("button", { name: "Open by id" }).click();
  await page.getByRole("dialog").getByLabel("Id").fill("odd id é 100%");
  await page.getByRole("dialog").getByLabel("Partition key").fill("ada");
  await page.getByRole("dialog").getByRole("button", { name: "Open" }).click();
  const area = page.getByRole("textbox", { name: "Item odd id é 100%" });
  await area.waitFor();
  await area.fill('{"id": "odd id é 100%", "customer": "ada", "total": 12,}');
  await page.locator("#item-problem", { hasText: "Line 1" }).waitFor();
  await area.fill('{"id": "odd id é 100%", "customer": "ada", "total": 900719925474099.25}');
  await page.locator("#save-item").click();
  await toastText("Saved");
  await picture("3-items");
  await clean();
});

await test("3 items: a conflict shows both versions", async () => {
  const path = `/dbs/shop/colls/orders/docs/${encodeURIComponent("odd id é 100%")}`;
  await send(account, "PUT", path, { headers: { "x-ms-documentdb-partitionkey": '["ada"]' }, body: { id: "odd id é 100%", customer: "ada", total: 7 } });
  const area = page.getByRole("textbox", { name: "Item odd id é 100%" });
  await area.fill('{"id": "odd id é 100%", "customer": "ada", "total": 8}');
  await page.locator("#save-item").click();
  await page.getByRole("dialog", { name: "Two versions" }).waitFor();
  await picture("3-conflict");
  await page.getByRole("button", { name: "Save mine over it" }).click();
  await toastText("Saved");
  const now = JSON.parse((await send(account, "GET", path, { headers: { "x-ms-documentdb-partitionkey": '["ada"]' } })).text);
  assert.equal(now.total, 8);
  expectRefusals();
});

await test("3 items: lines are uploaded with progress, and bad ones are named", async () => {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "More about the items" }).click();
  await page.getByRole("menuitem", { name: "Upload" }).click();
  const text = '{"id": "u1", "customer": "ada", "total": 1}\n{"id": "u2", "customer": "ada"\n{"id": "u3", "customer": "grace", "total": 3}\n';
  await (await chooser).setFiles({ name: "more.jsonl", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.getByText("Done: 2 written, 1 failed.").waitFor();
  await page.getByText("Line 2:").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "More about the items" }).click();
  await page.getByRole("menuitem", { name: "Download" }).click();
  assert.equal((await saved).suggestedFilename(), "orders.jsonl");
});

await test("4 queries: rows, charge term by term, plan; a mistake is shown at its line", async () => {
  await go("queries/shop/orders");
  const area = page.getByRole("textbox", { name: "Query", exact: true });
  await area.fill("SELECT c.id, c.customer, c.total FROM c\nWHERE c.total > @least\nORDER BY c.total DESC");
  await page.locator("#parameters").fill('{"@least": 300}');
  await area.press("Control+Enter");
  await page.getByText(/rows.* · [\d.]+ RU/).first().waitFor();
  await page.locator("#charge").getByText("Sum").waitFor();
  await page.getByRole("img", { name: /^Plan: 1 of 1 partitions touched, (≥ )?[1-9][\d,]* index terms read/ }).waitFor();
  assert.ok((await page.locator("#charge dt").count()) > 1, "the charge has terms");
  await picture("4-queries");
  await clean();
  await page.getByRole("tab", { name: "Plot" }).click();
  await page.getByRole("img", { name: /total by/ }).waitFor();
  await page.getByRole("tab", { name: "JSON" }).click();
  await area.fill("SELECT * FROM c\nWHERE c.total >");
  await page.locator("#run-query").click();
  await page.locator("#query-problem:not(:empty)").waitFor();
  await page.reload();
  await page.locator("body[data-ready=true]").waitFor();
  assert.match(await page.getByRole("textbox", { name: "Query", exact: true }).inputValue(), /WHERE c.total >$/, "the query is kept");
  expectRefusals();
});

await test("8 requests: those of clients are listed, opened masked, and shown on demand", async () => {
  await order(account, 4000);
  await send(account, "GET", "/dbs/shop/colls/orders/docs/none", { headers: { "x-ms-documentdb-partitionkey": '["ada"]' } });
  await go("requests");
  await page.getByRole("grid", { name: /Requests/ }).waitFor();
  await page.getByText("cosmos-js/4.5.0").first().waitFor();
  assert.equal(await page.locator(".grid-row", { hasText: "/_planisphere/requests" }).count(), 0, "its own are hidden");
  await picture("8-requests");
  await clean();
  await page.locator("#request-filter").fill("create");
  await page.locator(".grid-row", { hasText: "create" }).first().click();
  await page.getByText("Shape of the body").waitFor();
  assert.match(await page.locator("#request-detail").textContent(), /"customer": "string"/);
  await page.locator("#show-values").click();
  await page.locator("#request-detail").getByText('"order-4000"').waitFor();
  await picture("8-request");
  await page.getByRole("button", { name: "Close", exact: true }).click();
});

await test("7 partitions: split and merge by hand", async () => {
  await go("partitions/shop/orders");
  await page.getByRole("button", { name: "Split partition 0" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Split" }).click();
  await toastText("The partition is split.");
  await picture("7-partitions");
  await clean();
  await page.getByRole("button", { name: "Merge partition 1 with 2" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
  await toastText("The partitions are merged.");
  await page.getByRole("button", { name: "Split partition 3" }).waitFor();
});

await test("5 bill and heat: live request units, prices, another key is refused without traffic", async () => {
  for (let number = 5000; number < 5040; number += 1) await order(account, number);
  await go("usage");
  await page.getByRole("img", { name: /^Heat of physical partitions.*orders\/3/ }).waitFor();
  await page.getByText("Manual per month").first().waitFor();
  await page.getByRole("img", { name: /^By operation/ }).first().waitFor();
  await picture("5-usage");
  await clean();
  await page.locator("#candidate").fill("/total");
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText(/--record-traffic|not recorded/).last().waitFor();
  expectRefusals();
});

await test("5 bill and heat: what the explorer itself does is in none of its figures", async () => {
  const figures = async () => {
    const report = JSON.parse((await send(account, "GET", "/_planisphere/report")).text);
    const { seconds } = JSON.parse((await send(account, "GET", "/_planisphere/traffic")).text);
    const one = report.containers.find(({ container }) => container === "orders");
    const data = (kinds) => Object.entries(kinds).filter(([kind]) => /query|read|create/.test(kind)).reduce((sum, [, charge]) => sum + charge, 0);
    return { totals: one.totals, queries: one.queries, traffic: seconds.reduce((sum, { byOperation }) => sum + data(byOperation), 0) };
  };
  const before = await figures();
  await go("items/shop/orders");
  await page.getByRole("grid", { name: "Items" }).locator(".grid-row").first().click();
  await page.locator("#save-item").click();
  await toastText("Saved");
  await go("queries/shop/orders");
  await page.getByRole("textbox", { name: "Query", exact: true }).fill("SELECT * FROM c WHERE c.total = 17");
  await page.locator("#parameters").fill("");
  await page.locator("#run-query").click();
  await page.getByText(/rows?.* · [\d.]+ RU/).first().waitFor();
  assert.deepEqual(await figures(), before);
  await order(account, 5050);
  const after = await figures();
  assert.equal(after.totals.requests, before.totals.requests + 1, "a client's request is counted");
});

await test("6 change feed: a write and a delete appear live, and the code of a processor", async () => {
  await go("feed/shop/orders");
  await page.locator("#feed-status", { hasText: "live" }).waitFor();
  await order(account, 6000);
  await page.locator(".feed-line", { hasText: "order-6000" }).waitFor();
  await page.locator("#feed-mode").selectOption("Full-Fidelity Feed");
  await page.locator("#feed-status", { hasText: "0 changes · live" }).waitFor();
  await send(account, "DELETE", "/dbs/shop/colls/orders/docs/order-6000", { headers: { "x-ms-documentdb-partitionkey": '["ada"]' } });
  await page.locator(".feed-line", { hasText: "delete" }).waitFor();
  await picture("6-feed");
  await clean();
  await page.locator("#processor-code").click();
  // A library without a processor gets the pull model by feed ranges, and a sentence that says so.
  const marks = { "C#": /GetChangeFeedProcessorBuilder/, Java: /ChangeFeedProcessorBuilder/, JavaScript: /getFeedRanges/, Python: /read_feed_ranges/, Rust: /Processor::builder/ };
  for (const [language, mark] of Object.entries(marks)) {
    await page.getByRole("tab", { name: language, exact: true }).click();
    const panel = page.getByRole("tabpanel").filter({ visible: true });
    const text = await panel.textContent();
    assert.match(text, mark);
    assert.match(text, /"shop"[^]*"orders"/);
    assert.equal(/has no processor/.test(text), ["JavaScript", "Python"].includes(language), language);
  }
  await picture("6-processor-code");
  await clean();
  await page.getByRole("button", { name: "Close", exact: true }).click();
});

await deeperTests({ test, page, account, go, clean, picture, toastText, expectRefusals });
await programTests({ test, account });

await test("a session that ended is renewed without losing what was typed", async () => {
  await go("queries/shop/orders");
  const area = page.getByRole("textbox", { name: "Query", exact: true });
  await area.fill("SELECT VALUE COUNT(1) FROM c");
  await context.clearCookies();
  await page.locator("#run-query").click();
  await page.getByText("Your session has ended.").waitFor();
  await page.locator("#key").fill(account.key);
  await page.keyboard.press("Enter");
  await toastText("Signed in again.");
  assert.equal(await area.inputValue(), "SELECT VALUE COUNT(1) FROM c");
  await page.locator("#run-query").click();
  await page.getByText(/^1 row ·/).waitFor();
  expectRefusals();
});

const SECTIONS = ["items/shop/orders", "queries/shop/orders", "requests", "partitions/shop/orders", "usage", "feed/shop/orders", "settings/shop/orders"];
await test("light and dark, 390 px and 2,000 px: every section is usable, clean, and not wider than the screen", async () => {
  for (const [scheme, width, height] of [["dark", 1400, 900], ["dark", 390, 844], ["light", 390, 844], ["light", 2000, 1200], ["dark", 2000, 1200]]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height });
    for (const section of SECTIONS) {
      await go(section);
      await page.locator("main h1").first().waitFor();
      await page.waitForTimeout(250);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${section} is ${wide} px too wide at ${width} px`);
      await picture(`${section.split("/")[0]}-${scheme}-${width}`);
      await clean();
    }
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
});

await test("the page had nothing to complain of", async () => assert.deepEqual(complaints, []));

await test("a server that goes away is reported where it happened, and nothing typed is lost", async () => {
  await go("queries/shop/orders");
  const area = page.getByRole("textbox", { name: "Query", exact: true });
  await area.fill("SELECT 1");
  assert.equal(await account.stop(), 0);
  await page.locator("#run-query").click();
  await page.locator("#query-problem", { hasText: "cannot be reached" }).waitFor();
  assert.equal(await area.inputValue(), "SELECT 1");
});

await rougherTests({ test, browser, program: PLANISPHERE, artefacts: ARTEFACTS });

await test("a server for reading only lets nothing be changed", async () => {
  const reading = await startServer(PLANISPHERE, ["--explorer-read-only"]);
  await send(reading, "POST", "/dbs", { body: { id: "shop" } });
  const other = await browser.newContext();
  const tab = await other.newPage();
  await tab.goto(reading.explorer);
  await tab.getByText("reads only").waitFor();
  assert.equal(await tab.locator("#new-database").count(), 0);
  await other.close();
  assert.equal(await reading.stop(), 0);
});

await browser.close();
console.log(`explorer: ${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
