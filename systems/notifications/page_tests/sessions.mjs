// Signing in where there is no demonstration: with tokens of an issuer, by keyboard alone.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import readline from "node:readline";

const ISSUER = "https://issuer.example";
const AUDIENCE = "notifications";

// An issuer with one key; its public half is a file the service reads.
function issuer(folder) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256", use: "sig" };
  const file = join(folder, "keys.json");
  writeFileSync(file, JSON.stringify({ keys: [jwk] }));
  const text = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = (subject, seconds = 600) => {
    const exp = Math.floor(Date.now() / 1000) + seconds;
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: subject, exp, roles: [] };
    const body = `${text({ alg: "ES256", typ: "JWT", kid: "k1" })}.${text(claims)}`;
    const signature = sign("sha256", Buffer.from(body), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${body}.${signature.toString("base64url")}`;
  };
  return { file, token };
}

async function start(program, jwks) {
  const settings = [`Identity:Issuer=${ISSUER}`, `Identity:Audience=${AUDIENCE}`, `Identity:Jwks=${jwks}`];
  const words = ["notifications", "serve", "--memory", "--port", "0", "--ready-json"];
  const service = spawn(program, [...words, ...settings.flatMap((one) => ["--set", one])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
  return { service, endpoint: JSON.parse(line).ready.endpoint };
}

export async function sessions({ browser, program, test, until }) {
  const folder = mkdtempSync(join(tmpdir(), "sessions-"));
  const { file, token } = issuer(folder);
  const { service, endpoint } = await start(program, file);
  const context = await browser.newContext();
  const page = await context.newPage();
  const focused = () => page.evaluate(() => document.activeElement.id);
  const alert = () => page.locator("#token-problem").textContent();
  const ready = () => page.locator("body[data-ready]").waitFor();
  const type = async (words) => {
    await page.keyboard.insertText(words);
    await page.keyboard.press("Enter");
  };
  // What a screen reader is told: the words of alerts, and which fields are wrong.
  const spoken = async () => {
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    await session.detach();
    const shown = nodes.filter((node) => !node.ignored);
    const invalid = (node) => node.properties?.some(({ name, value }) => name === "invalid" && value.value === "true");
    const alerts = shown.filter((node) => node.role?.value === "alert").map((node) => node.nodeId);
    const words = shown.filter((node) => alerts.includes(node.parentId)).map((node) => node.name?.value);
    const field = shown.find((node) => node.role?.value === "textbox");
    return { words: words.join(" "), isInvalid: Boolean(invalid(field)), about: field.description?.value ?? "" };
  };

  await test("a refused token is told, seen and heard, and the focus stays", async () => {
    await page.goto(endpoint);
    await until("the focus", (id) => id === "token", focused);
    assert.equal((await spoken()).isInvalid, false);
    // Each reason is its own, so that the alert of the first token is not taken for that of the second.
    for (const [wrong, reason] of [["made-up", /three parts/], [token("bob", -3600), /expired/]]) {
      await type(wrong);
      await until("the alert", (text) => reason.test(text), alert);
      const { words, isInvalid, about } = await spoken();
      assert.match(words, /The token is not accepted/);
      assert.match(about, /The token is not accepted/);
      assert.equal(isInvalid, true);
      assert.equal(await focused(), "token");
    }
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await page.locator("#nav-list").isVisible(), false);
  });

  await test("a token begins a session by keyboard, and is not kept", async () => {
    const given = token("bob");
    await type(given);
    await ready();
    assert.match(await page.locator("#who").textContent(), /bob/);
    assert.equal(await page.locator("#token").inputValue(), "");
    const cookie = (await context.cookies()).find(({ name }) => name === "__Host-session");
    assert.ok(cookie.httpOnly && cookie.secure && cookie.sameSite === "Lax", JSON.stringify(cookie));
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    assert.equal(kept.includes(given), false);
    await page.reload();
    await ready();
    assert.match(await page.locator("#who").textContent(), /bob/);
  });

  await test("after the session has ended, what was typed is still there", async () => {
    await page.locator("#nav-settings").focus();
    await page.keyboard.press("Enter");
    await page.locator("#timezone").fill("Asia/Tokyo");
    await context.clearCookies();
    await page.keyboard.press("Enter");
    await until("the alert", (text) => /session has ended/.test(text), alert);
    assert.match((await spoken()).words, /session has ended/);
    assert.equal(await page.locator("#preferences-form").isVisible(), false);
    assert.equal(await focused(), "token");
    await type(token("bob"));
    await ready();
    assert.equal(await page.locator("#timezone").inputValue(), "Asia/Tokyo");
    await page.locator("#timezone").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
  });

  await test("somebody else who signs in gets a page of their own", async () => {
    await context.clearCookies();
    await page.locator("#timezone").fill("America/Lima");
    await page.keyboard.press("Enter");
    await until("the focus", (id) => id === "token", focused);
    await type(token("alice"));
    await until("who it is", (text) => /alice/.test(text), () => page.locator("#who").textContent());
    await ready();
    assert.equal(await page.locator("#timezone").inputValue(), "UTC");
  });

  await test("signing out by keyboard ends the session", async () => {
    await page.locator("#sign-out").focus();
    await page.keyboard.press("Enter");
    // The page is loaded anew meanwhile: a locator outlives that, a question to the old page does not.
    await page.locator("#token:focus").waitFor();
    assert.deepEqual(await context.cookies(), []);
    assert.equal((await fetch(`${endpoint}session`)).status, 401);
  });

  await context.close();
  service.kill("SIGTERM");
  const [code] = await once(service, "exit");
  await test("a service without a demonstration ends by itself too", async () => assert.equal(code, 0));
  rmSync(folder, { recursive: true });
}
