// Signing in at an issuer, beside one-time codes: out to the issuer, back to the room, and a stranger who is denied.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import readline from "node:readline";
import { freePort, testIssuer } from "./test_issuer.mjs";

const TENANT = "12345678-1234-1234-1234-123456789abc";

const BOB = { sub: "b-1", tid: TENANT, preferred_username: "bob@contoso.com", name: "Bob S." };
const MALLORY = { sub: "m-1", tid: TENANT, preferred_username: "mallory@contoso.com", name: "Mallory" };

// A chat with an issuer that has these people, and further settings.
async function serve(program, people, more) {
  const port = await freePort();
  const redirectUri = `http://localhost:${port}/signin-oidc`;
  const { issuer, close } = await testIssuer({ clientId: "chat", redirectUri, people, path: `/${TENANT}/v2.0` });
  const settings = [
    `EntraId:Instance=${new URL(issuer).origin}/`, `EntraId:TenantId=${TENANT}`, "EntraId:ClientId=chat",
    `EntraId:Authorization:AllowedTenants:0=${TENANT}`, `Identity:RedirectUris:0=${redirectUri}`, "Chat:Development=true", ...more,
  ];
  const words = ["chat", "serve", "--memory", "--port", String(port), "--ready-json", ...settings.flatMap((one) => ["--set", one])];
  const service = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  const log = [];
  readline.createInterface({ input: service.stderr }).on("line", (text) => log.push(text));
  const [line] = await once(readline.createInterface({ input: service.stdout }), "line");
  const stop = async () => {
    service.kill();
    await close();
  };
  return { endpoint: JSON.parse(line).ready.endpoint, log, stop };
}

export async function issuerSignIn({ program, open, test, until, shots }) {
  const { endpoint, log, stop } = await serve(program, { bob: BOB, mallory: MALLORY }, ["Chat:Admins:0=alice@example.com"]);
  const ready = (page) => page.locator('body[data-ready][data-connection="connected"]').waitFor();

  await test("with an issuer the page offers it first, and a one-time code second", async () => {
    const page = await open();
    await page.goto(endpoint);
    await page.locator("#sign-in-issuer:focus").waitFor();
    assert.equal(await page.locator("#user-name").isVisible(), false);
    await shots(page, "issuer");
    await page.locator("summary").click();
    await page.locator("#user-name").fill("alice@example.com");
    await page.locator("#user-name").press("Enter");
    const code = await until("the code", Boolean, () => log.join("\n").match(/message to .*alice.*?(\d{6})/)?.[1]);
    await page.locator("#code").fill(code);
    await page.locator("#code").press("Enter");
    await ready(page);
    // Nobody is provisioned: an administrator says who a person of the issuer is.
    await page.evaluate(async () => {
      const { call } = await import("/_kit/session.js");
      await call("PATCH", "/api/admin/users/bob@example.com", { upn: "bob@contoso.com" });
    });
  });

  await test("a person signs in at the issuer and returns to the room; features that are off are not missed", async () => {
    const page = await open();
    await page.goto(`${endpoint}#/random`);
    await page.locator("#sign-in-issuer").click();
    await page.getByRole("button", { name: "Continue as bob" }).click();
    await ready(page);
    assert.equal(await page.locator("#room").textContent(), "random");
    await page.locator("#message").pressSequentially("Hello");
    await page.locator("#message").press("Enter");
    await page.locator('.message [data-receipt="sent"]').waitFor();
    assert.equal(await page.locator(".toast").count(), 0);
  });

  await test("a person of the issuer who is no user is denied, and reads why", async () => {
    const page = await open();
    await page.goto(endpoint);
    await page.locator("#sign-in-issuer").click();
    await page.getByRole("button", { name: "Continue as mallory" }).click();
    await until("denied", (text) => text === "The issuer denied access.", () => page.locator("#sign-in-problem").textContent());
    // EntraId:Fallback:OtpForUnauthorizedUsers is off.
    assert.equal(await page.locator("#sign-in details").isVisible(), false);
  });

  await stop();
}

// With EntraId:AutomaticSso the page goes to the issuer by itself, once in a browser session.
export async function automaticSignIn({ program, open, test, until }) {
  const more = ["EntraId:AutomaticSso:Enable=true", "EntraId:Fallback:OtpForUnauthorizedUsers=true"];
  const { endpoint, stop } = await serve(program, { mallory: MALLORY }, more);
  await test("the page goes to the issuer by itself, once, and offers a code to somebody who is denied", async () => {
    const page = await open();
    await page.goto(endpoint);
    await page.getByRole("button", { name: "Continue as mallory" }).click();
    await until("denied", (text) => text === "The issuer denied access.", () => page.locator("#sign-in-problem").textContent());
    assert.equal(await page.locator("#sign-in details").isVisible(), true);
    await page.goto(endpoint);
    await page.locator("#sign-in-issuer").waitFor();
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === "sso_attempted");
    assert.equal(cookie.expires, -1, "it ends with the browser");
  });
  await stop();
}
