// Signing in at an issuer by OpenID Connect, as people do: out to the issuer, back to the page, and out again.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import readline from "node:readline";
import { freePort, testIssuer } from "./test_issuer.mjs";

export async function oidc({ browser, program, artefacts, test, until, checkAccessibility }) {
  const port = await freePort();
  const redirectUri = `http://localhost:${port}/session/callback`;
  const people = { ann: { sub: "248289761001", name: "Ann Example", roles: [] }, ben: { sub: "91-b", name: "Ben Other", roles: ["admin"] } };
  const { issuer, log, close } = await testIssuer({ clientId: "centre", redirectUri, people });
  const settings = [`Identity:Issuer=${issuer}`, "Identity:Audience=notifications", "Identity:ClientId=centre", `Identity:RedirectUris:0=${redirectUri}`];
  const words = ["notifications", "serve", "--memory", "--port", String(port), "--ready-json"];
  const service = spawn(program, [...words, ...settings.flatMap((one) => ["--set", one])], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
  const { endpoint } = JSON.parse(line).ready;
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
  const page = await context.newPage();
  const ready = (tab = page) => tab.locator("body[data-ready]").waitFor();
  const problem = () => page.locator("#sign-in-problem").textContent();
  const cookieNames = async () => (await context.cookies()).map(({ name }) => name).sort();

  await test("the page offers the sign-in at the issuer first, and a token second", async () => {
    await page.goto(`${endpoint}#/settings`);
    await page.locator("#sign-in-issuer:focus").waitFor();
    assert.match(await page.locator("#sign-in-issuer").textContent(), new RegExp(`Sign in with ${new URL(issuer).host}`));
    assert.equal(await page.locator("#token").isVisible(), false);
    for (const [scheme, width] of [["light", 900], ["dark", 390]]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 700 });
      await checkAccessibility(page);
      await page.screenshot({ path: join(artefacts, `sign-in-${scheme}-${width}.png`) });
    }
    await page.setViewportSize({ width: 900, height: 700 });
  });

  await test("a person who signs in at the issuer returns to the page where it began", async () => {
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Continue as ann" }).click();
    await ready();
    assert.equal(page.url(), `${endpoint}#/settings`);
    assert.equal(await page.locator("#who").textContent(), "Ann Example");
    assert.equal(await page.locator("#nav-operator").isVisible(), false);
    assert.deepEqual(await cookieNames(), ["__Host-session", "csrf"]);
    assert.equal(log.filter((request) => request === "POST /token").length, 1);
  });

  await test("after the session has ended the issuer opens in another tab, and what was typed stays", async () => {
    await page.locator("#timezone").fill("Asia/Tokyo");
    await context.clearCookies();
    await page.keyboard.press("Enter");
    await until("the message", (text) => /session has ended.*another tab/.test(text), problem);
    const opened = context.waitForEvent("page");
    await page.locator("#sign-in-issuer").click();
    const other = await opened;
    await other.getByRole("button", { name: "Continue as ann" }).click();
    await ready(other);
    await ready();
    assert.equal(await page.locator("#timezone").inputValue(), "Asia/Tokyo");
    await other.close();
    await page.locator("#timezone").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
  });

  await test("signing out ends the session here and at the issuer", async () => {
    await page.locator("#sign-out").click();
    await page.locator("#sign-in-issuer").waitFor();
    assert.ok(log.includes("GET /logout"));
    assert.deepEqual(await cookieNames(), []);
  });

  await test("a denied or expired sign-in is said, and can be tried again with the roles of the token", async () => {
    await page.locator("#sign-in-issuer").click();
    await page.getByRole("button", { name: "Continue as nobody" }).click();
    await until("the message", (text) => /denied/.test(text), problem);
    assert.equal(new URL(page.url()).search, "");
    await page.goto(`${endpoint}session/callback?code=made-up&state=made-up`);
    await until("the message", (text) => /took too long/.test(text), problem);
    await page.locator("#sign-in-issuer").click();
    await page.getByRole("button", { name: "Continue as ben" }).click();
    await ready();
    assert.equal(await page.locator("#who").textContent(), "Ben Other");
    assert.equal(await page.locator("#nav-operator").isVisible(), true);
  });

  await test("a host that is not set up is named, and a token can be used instead", async () => {
    await page.locator("#sign-out").click();
    await page.locator("#sign-in-issuer").waitFor();
    const answer = await fetch(`http://127.0.0.1:${port}/session/oidc`, { redirect: "manual" });
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).detail, /host '127\.0\.0\.1:\d+'/);
    await page.locator("summary").click();
    assert.equal(await page.locator("#token").isVisible(), true);
  });

  await context.close();
  service.kill("SIGTERM");
  await once(service, "exit");
  await close();
}
