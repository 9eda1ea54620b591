// Uses the notification centre in a browser as a person does, against a demonstration it starts itself.
// PLANISPHERE and CHROMIUM name the programs, ARTEFACTS the folder for screenshots.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import readline from "node:readline";
import { chromium } from "playwright-core";
import { oidc } from "./oidc.mjs";
import { sessions } from "./sessions.mjs";

const { PLANISPHERE, CHROMIUM, ARTEFACTS } = process.env;
mkdirSync(ARTEFACTS, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const service = spawn(PLANISPHERE, ["notifications", "serve", "--demo", "--port", "0", "--ready-json"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
const { ready } = JSON.parse(line);

const isRoot = process.getuid?.() === 0;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: isRoot ? ["--no-sandbox"] : [] });
const context = await browser.newContext({ viewport: { width: 900, height: 1000 }, reducedMotion: "reduce" });
const page = await context.newPage();
const complaints = [];
page.on("console", (message) => {
  if (["error", "warning"].includes(message.type())) complaints.push(message.text());
});
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

// Waits for what a function in the page says; fails with its last answer.
async function until(what, expected, read) {
  const end = Date.now() + 20_000;
  let found;
  for (;;) {
    found = await read();
    if (expected(found)) return found;
    if (Date.now() > end) assert.fail(`${what}: still ${JSON.stringify(found)}`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

const items = () => page.locator("#list li");
const badge = () => page.locator("#badge").evaluate((mark) => (mark.hidden ? 0 : Number.parseInt(mark.textContent, 10)));
const focused = () => page.evaluate(() => {
  const { activeElement: at } = document;
  return at.getAttribute("aria-label") ?? at.textContent.trim();
});
const api = (method, path, body) => page.evaluate(async ([method, path, body]) => {
  const { csrfToken } = await (await fetch("/session")).json();
  const headers = { "content-type": "application/json", "x-csrf-token": csrfToken };
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}, [method, path, body]);
const like = (target) => ({
  userId: "bob", eventType: "POST_LIKE",
  payload: { actorId: "zoe", actorName: "Zoe", targetId: target, targetType: "post" },
});

// Every control a person can reach has a name of its own.
async function namesOfControls() {
  const session = await context.newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const roles = new Set(["button", "checkbox", "combobox", "link", "tab", "textbox", "listbox", "searchbox"]);
  const controls = nodes.filter((node) => !node.ignored && roles.has(node.role?.value));
  assert.ok(controls.length > 0, "there are controls");
  const nameless = controls.filter((node) => !node.name?.value?.trim());
  assert.deepEqual(nameless.map((node) => node.role.value), [], "controls without a name");
  await checkAccessibility(page);
}
async function checkAccessibility(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.target.join(" ")).join(", ")}`), []);
}
const section = (name) => page.locator(`#nav-${name}`).click();

await test("without a session the page asks to sign in", async () => {
  await page.goto(ready.endpoint);
  await page.locator("#sign-in").waitFor();
  assert.equal(await page.locator("#panel-list").isVisible(), false);
  await namesOfControls();
});

// Asking who is there is answered by 401, which the browser writes to its console.
complaints.length = 0;

await test("the link signs in, once", async () => {
  await page.goto(ready.signIn.bob);
  await page.locator("body[data-ready]").waitFor();
  assert.match(await page.locator("#who").textContent(), /bob/);
  const again = await fetch(ready.signIn.bob, { redirect: "manual" });
  assert.equal(again.status, 401);
});

await test("the page is served under a strict policy", async () => {
  const answer = await fetch(ready.endpoint);
  const policy = answer.headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
});

await test("the list has a first page, and more", async () => {
  // The dispatcher may still be at work on what was seeded.
  await until("the badge", (count) => count >= 30, badge);
  await page.reload();
  await page.locator("body[data-ready]").waitFor();
  assert.equal(await items().count(), 20);
  await page.locator("#more").click();
  await until("the second page", (count) => count > 20, () => items().count());
  const ids = await items().evaluateAll((all) => all.map((one) => one.id));
  assert.equal(new Set(ids).size, ids.length, "nothing is shown twice");
});

await test("several likes are one notification", async () => {
  const titles = await items().locator("h3").allTextContents();
  assert.ok(titles.some((title) => /and 2 others/.test(title)), titles.join("; "));
});

await test("an event changes list and badge without a reload", async () => {
  const before = await badge();
  const sent = await api("POST", "/api/notifications/send", like("live"));
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  await until("the badge", (count) => count === before + 1, badge);
  await until("the first title", (title) => /^Zoe/.test(title), () => items().first().locator("h3").textContent());
  assert.match(await page.title(), new RegExp(`^\\(${before + 1}\\)`));
  assert.match(await page.locator("#said").textContent(), /Zoe/);
});

await test("reading one lowers the badge", async () => {
  const before = await badge();
  await items().first().getByRole("button", { name: /^Mark as read/ }).click();
  await until("the badge", (count) => count === before - 1, badge);
  assert.equal(await items().first().getByRole("button", { name: /^Mark as read/ }).count(), 0);
});

await test("a dismissed one is gone, also after a reload", async () => {
  const id = await items().first().getAttribute("id");
  await items().first().getByRole("button", { name: /^Dismiss/ }).click();
  await page.locator(`[id="${id}"]`).waitFor({ state: "detached" });
  await page.reload();
  await page.locator("body[data-ready]").waitFor();
  assert.equal(await page.locator(`[id="${id}"]`).count(), 0);
});

await test("a dismissal is taken back", async () => {
  const before = await items().count();
  const title = await items().first().locator("h3").textContent();
  await items().first().getByRole("button", { name: /^Dismiss/ }).click();
  await until("the list", (count) => count === before - 1, () => items().count());
  await page.getByRole("button", { name: "Undo" }).click();
  await until("the list", (count) => count === before, () => items().count());
  assert.equal(await items().first().locator("h3").textContent(), title);
});

await test("titles lead to their deep link, and targets can be hit", async () => {
  assert.match(await items().first().locator("h3 a").getAttribute("href"), /^\w+:\/\//);
  const low = await page.locator("button:visible, nav a:visible").evaluateAll((all) => all.map((one) => [one.textContent, one.getBoundingClientRect().height]).filter(([, height]) => height < 44));
  assert.deepEqual(low, []);
});

await test("notifications are grouped by day", async () => {
  const days = await browser.newContext({ storageState: await context.storageState() });
  const other = await days.newPage();
  await other.route("**/api/notifications?*", async (route) => {
    const answer = await (await route.fetch()).json();
    answer.notifications.slice(3).forEach((one, at) => { one.createdAt = new Date(Date.now() - (1 + Math.floor(at / 5)) * 86_400_000).toISOString(); });
    await route.fulfill({ json: answer });
  });
  await other.goto(ready.endpoint);
  await other.locator("body[data-ready]").waitFor();
  const titles = await other.locator("#list h2").allTextContents();
  assert.deepEqual(titles.slice(0, 2), ["Today", "Yesterday"]);
  assert.ok(titles.length >= 4, titles.join());
  await days.close();
});

await test("something is shown while the list is loading", async () => {
  const slow = await browser.newContext({ storageState: await context.storageState() });
  const other = await slow.newPage();
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await other.route("**/api/notifications?*", async (route) => { await held; await route.continue(); });
  await other.goto(ready.endpoint);
  await other.locator(".skeleton:visible").first().waitFor();
  release();
  await other.locator("#list li").first().waitFor();
  await slow.close();
});

await test("a category filters the list", async () => {
  await page.getByRole("button", { name: "Security", exact: true }).click();
  await until("the list", (count) => count === 1, () => items().count());
  await page.getByRole("button", { name: "Mark security as read" }).waitFor();
  await page.getByRole("button", { name: "Offers", exact: true }).click();
  await page.getByText("Nothing in Offers").waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await until("the list", (count) => count === 20, () => items().count());
});

await test("light and dark are readable, and kept as pictures", async () => {
  await page.evaluate(() => scrollTo(0, 0));
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await colour();
  await page.screenshot({ path: join(ARTEFACTS, "notifications-dark.png") });
  await page.emulateMedia({ colorScheme: "light" });
  assert.notEqual(await colour(), dark);
  await page.screenshot({ path: join(ARTEFACTS, "notifications.png") });
});

await test("the keyboard reads, and the focus stays in the list", async () => {
  await page.reload();
  await page.locator("body[data-ready]").waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await page.keyboard.press("Enter");
  await page.locator("#list a").first().focus();
  const first = await focused();
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await focused(), first);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  assert.match(await focused(), /^Mark as read: /);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "the focus is seen");
  const before = await badge();
  await page.keyboard.press("Enter");
  await until("the badge", (count) => count === before - 1, badge);
  await until("the focus", (name) => name === first, focused);
});

await test("quiet hours are chosen by keyboard, and saved", async () => {
  await section("settings");
  await namesOfControls();
  const hours = page.locator("#hours button");
  assert.equal(await hours.count(), 24);
  const tops = await hours.evaluateAll((all) => new Set(all.map((one) => one.offsetTop)).size);
  assert.equal(tops, 4, "four rows of six hours");
  await hours.first().focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "Space"]) await page.keyboard.press(key);
  assert.equal(await focused(), "Quiet from 13:00 to 14:00");
  await page.locator("#timezone").fill("America/New_York");
  await page.getByLabel("Offers").check();
  await page.screenshot({ path: join(ARTEFACTS, "settings.png") });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const { body } = await api("GET", "/api/notifications/preferences");
  assert.equal(body.timezone, "America/New_York");
  assert.equal(body.categories.marketing, true);
  assert.deepEqual(body.quietHours.map((quiet, hour) => (quiet ? hour : null)).filter((hour) => hour !== null),
    [0, 1, 2, 3, 4, 5, 6, 13, 22, 23]);
});

await test("a wrong time zone is told and not saved", async () => {
  const known = complaints.length;
  await page.locator("#timezone").fill("Mars/Base");
  await page.getByRole("button", { name: "Save" }).click();
  const said = () => page.locator("#timezone-problem").textContent();
  const words = await until("what failed", (text) => /not an IANA time zone/.test(text), said);
  assert.equal(words.match(/time ?zone/gi).length, 1, "the words are not repeated");
  const { body } = await api("GET", "/api/notifications/preferences");
  assert.equal(body.timezone, "America/New_York");
  // The browser writes the refusal to its console.
  complaints.length = known;
});

await test("a device is revoked", async () => {
  await section("devices");
  const revoke = page.getByRole("button", { name: "Revoke: Bob's phone" });
  await revoke.waitFor();
  await namesOfControls();
  await revoke.click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await revoke.waitFor({ state: "detached" });
  const { body } = await api("GET", "/api/notifications/devices");
  const phone = body.devices.find((device) => device.deviceId === "phone");
  assert.ok(phone.revokedAt, "the service knows");
});

await test("the form sends", async () => {
  await section("send");
  await namesOfControls();
  const before = await badge();
  await page.getByLabel("What happened").selectOption("POST_COMMENT");
  await page.getByLabel("Who did it").fill("Mallory");
  await page.getByLabel("About what").fill("sent-by-form");
  await page.getByLabel("A few words").fill("<img src=x onerror=alert(1)>hello");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await until("the badge", (count) => count === before + 1, badge);
  await section("list");
  const first = items().first();
  assert.match(await first.locator("h3").textContent(), /Mallory/);
  assert.equal(await first.locator("img").count(), 0, "foreign text is text");
});

await test("the operator sees the queue and the results of pushes", async () => {
  await section("operator");
  await page.getByText("Results of pushes").waitFor();
  await page.getByRole("img", { name: /^Events per minute: Events now [1-9]/ }).waitFor();
  assert.ok(Number(await page.locator("#figures dt", { hasText: "Done" }).locator("xpath=../dd").textContent()) > 0);
  await page.getByRole("tab", { name: "Done" }).click();
  await page.getByRole("grid", { name: "Events" }).waitFor();
  // Descending: only the rows in view exist, and most events have no pushes.
  const byPushes = page.getByRole("columnheader", { name: "Pushes" }).getByRole("button");
  await byPushes.click();
  await byPushes.click();
  await page.locator(".grid-row", { hasText: "delivered" }).first().waitFor();
  await page.screenshot({ path: join(ARTEFACTS, "operator.png") });
  await namesOfControls();
  await section("list");
});

await test("reading one category leaves the others unread, and what is said leaves by itself", async () => {
  assert.equal((await api("POST", "/api/notifications/send", like("other-category"))).status, 202);
  const before = await until("the badge", (count) => count > 1, badge);
  await page.getByRole("button", { name: "Security", exact: true }).click();
  await until("the list", (count) => count === 1, () => items().count());
  await page.getByRole("button", { name: "Mark security as read" }).click();
  await page.locator(".toast").first().waitFor();
  await until("unread ones of the category", (count) => count === 0, () => page.locator("#list li.unread").count());
  await page.getByRole("button", { name: "All", exact: true }).click();
  await until("the list", (count) => count === 20, () => items().count());
  assert.ok((await page.locator("#list li.unread").count()) > 0, `the others are still unread, of ${before}`);
  assert.ok((await badge()) > 0);
  await until("the messages", (count) => count === 0, () => page.locator(".toast").count());
});

await test("all are read at once", async () => {
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await until("the badge", (count) => count === 0, badge);
  await namesOfControls();
});

await test("alice sees her own list and no form", async () => {
  const hers = await browser.newContext();
  const other = await hers.newPage();
  await other.goto(ready.signIn.alice);
  await other.locator("body[data-ready]").waitFor();
  await until("her list", (count) => count === 1, () => other.locator("#list li").count());
  assert.equal(await other.locator("#nav-send").isVisible(), false);
  await hers.close();
});

await test("the badge comes by polling when there is no stream", async () => {
  const without = await browser.newContext({ storageState: await context.storageState() });
  const other = await without.newPage();
  await other.route("**/api/notifications/stream", (route) => route.abort());
  await other.goto(ready.endpoint);
  await other.locator("body[data-ready]").waitFor();
  assert.equal((await api("POST", "/api/notifications/send", like("polled"))).status, 202);
  const count = () => other.locator("#badge").evaluate((mark) => (mark.hidden ? 0 : Number.parseInt(mark.textContent, 10)));
  await until("the badge", (unread) => unread === 1, count);
  const first = () => other.locator("#list li h3").first().textContent();
  await until("the first title", (title) => /^Zoe/.test(title), first);
  await without.close();
});

await test("the page had nothing to complain of", async () => {
  assert.deepEqual(complaints, []);
});

await test("the OpenAPI document has a page that loads nothing from elsewhere", async () => {
  const docs = await context.newPage();
  const foreign = [];
  const refused = [];
  docs.on("console", (message) => { if (message.type() === "error") refused.push(message.text()); });
  docs.on("request", (request) => { if (!request.url().startsWith(ready.endpoint) && !request.url().startsWith("data:")) foreign.push(request.url()); });
  const answer = await docs.goto(`${ready.endpoint}docs`);
  const policy = answer.headers()["content-security-policy"];
  assert.match(policy, /default-src 'none'; script-src 'self';/, policy);
  await docs.getByText("/api/notifications/read-all").first().waitFor();
  await docs.screenshot({ path: join(ARTEFACTS, "docs.png") });
  assert.deepEqual(foreign, []);
  assert.deepEqual(refused, [], "the policy refuses nothing that the page needs");
  await docs.close();
});

await test("signing out ends the session", async () => {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.locator("#sign-in").waitFor();
});

await sessions({ browser, program: PLANISPHERE, test, until });
await oidc({ browser, program: PLANISPHERE, artefacts: ARTEFACTS, test, until, checkAccessibility });

await browser.close();
service.kill("SIGTERM");
const [code] = await once(service, "exit");
await test("the service ends by itself when it is told to", async () => assert.equal(code, 0));
console.log(`pages: ${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
