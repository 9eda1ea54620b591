// Measures the explorer: how long the first page of a large container takes, how much it reads, and how a result of
// 10,000 rows scrolls. Prints figures. What does not depend on the machine is asserted: the items and bytes read.
//
//     node measure.mjs [folder of a store with shop/orders]
//
// PLANISPHERE and CHROMIUM name the programs. Without a folder, a server in memory gets 20,000 items.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { fill, order, send, startServer } from "./account.mjs";

const { PLANISPHERE, CHROMIUM } = process.env;
const PAGE_ITEMS = 100;
const ROWS = 10_000;
const [folder] = process.argv.slice(2);
const account = await startServer(PLANISPHERE, folder ? ["--data", folder] : []);
if (!folder) {
  await fill(account, 0);
  for (let from = 0; from < 20_000; from += 50) await Promise.all(Array.from({ length: 50 }, (_, at) => order(account, from + at)));
}
const browser = await chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
page.setDefaultTimeout(120_000);
const partitions = JSON.parse((await send(account, "GET", "/_planisphere/partitions/shop/orders")).text);
const items = partitions.partitions.reduce((sum, one) => sum + one.items, 0);

// Opening the container from a click to its first rows, five times.
await page.goto(account.explorer);
await page.locator("body[data-ready=true]").waitFor();
const answers = [];
page.on("response", (answer) => answers.push(answer));
const times = [];
for (let run = 0; run < 5; run += 1) {
  await page.evaluate(() => { location.hash = "#/partitions/shop/orders"; });
  await page.getByRole("heading", { name: /Partitions of/ }).waitFor();
  answers.length = 0;
  times.push(await page.evaluate(async () => {
    const start = performance.now();
    location.hash = "#/items/shop/orders";
    while (!document.querySelector('[role="grid"][aria-label="Items"] .grid-row')) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
  }));
  const listed = answers.filter((answer) => answer.url().endsWith("/dbs/shop/colls/orders/docs"));
  assert.equal(listed.length, 1, "one request for the first page");
  assert.equal(JSON.parse(await listed[0].text()).Documents.length, PAGE_ITEMS, "it reads the page and no more");
}
times.sort((left, right) => left - right);
console.log(`first page of ${items} items: median ${times[2].toFixed(0)} ms, slowest ${times[4].toFixed(0)} ms, ${PAGE_ITEMS} items read`);

// Scrolling 10,000 rows: frames of Chromium's trace while the table moves for three seconds.
await page.evaluate(() => { location.hash = "#/queries/shop/orders"; });
const area = page.getByRole("textbox", { name: "Query", exact: true });
await area.fill(`SELECT TOP ${ROWS} * FROM c`);
await page.locator("#run-query").click();
await page.locator("#next-page").waitFor();
for (let loaded = PAGE_ITEMS; loaded < ROWS;) {
  const before = await page.locator("#result-status").textContent();
  await page.locator("#next-page").click();
  await page.waitForFunction((text) => document.querySelector("#result-status").textContent !== text, before);
  loaded = Number((await page.locator("#result-status").textContent()).replaceAll(",", "").match(/^\d+/)[0]);
  if (await page.locator("#next-page").isHidden()) break;
}
console.log(`rows in the table: ${await page.locator("#result-status").textContent()}`);
const session = await page.context().newCDPSession(page);
const events = [];
session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
// CPU time of the page's main thread: it does not depend on what else the machine does.
await session.send("Performance.enable", { timeDomain: "threadTicks" });
const spent = async () => Object.fromEntries((await session.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value * 1000]));
const before = await spent();
await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame", "devtools.timeline"] } });
const frames = await page.evaluate(async () => {
  const grid = document.querySelector('[role="grid"][aria-label="Rows"]');
  const gaps = [];
  let last = performance.now();
  const end = last + 3_000;
  while (last < end) {
    grid.scrollTop += 180;
    if (grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 1) grid.scrollTop = 0;
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  return gaps.slice(1);
});
const after = await spent();
const perFrame = (name) => ((after[name] - before[name]) / frames.length).toFixed(2);
const done = new Promise((resolve) => { session.once("Tracing.tracingComplete", resolve); });
await session.send("Tracing.end");
await done;
const named = (name) => events.filter((event) => event.name === name).length;
const long = events.filter((event) => event.name === "RunTask" && event.dur > 16_700).length;
console.log(`scrolling: ${frames.length} frames in 3 s, ${frames.filter((gap) => gap > 25).length} gaps over 25 ms, slowest ${Math.max(...frames).toFixed(1)} ms; trace: ${named("DrawFrame")} drawn, ${named("DroppedFrame")} dropped, ${long} tasks over a frame`);
console.log(`main thread per frame: ${perFrame("TaskDuration")} ms CPU, of it script ${perFrame("ScriptDuration")}, style ${perFrame("RecalcStyleDuration")}, layout ${perFrame("LayoutDuration")}`);
const alive = await page.evaluate(() => document.querySelectorAll('[role="grid"][aria-label="Rows"] .grid-row').length);
assert.ok(alive < 200, `${alive} rows exist at a time`);
await browser.close();
assert.equal(await account.stop(), 0);
