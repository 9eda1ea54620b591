// The explorer part by part, in depth: versions, indexes, plans, processors, keys, scripts and users.

import assert from "node:assert/strict";
import { order, send } from "./account.mjs";

const ADA = { "x-ms-documentdb-partitionkey": '["ada"]' };
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export async function deeperTests({ test, page, account, go, clean, picture, toastText, expectRefusals }) {
  const openItem = async (id, key) => {
    await page.getByRole("button", { name: "Open by id" }).click();
    await page.getByRole("dialog").getByLabel("Id").fill(id);
    await page.getByRole("dialog").getByLabel("Partition key").fill(key);
    await page.getByRole("dialog").getByRole("button", { name: "Open" }).click();
    await page.getByRole("textbox", { name: `Item ${id}` }).waitFor();
  };

  await test("3 items: an item has its versions, compared, and one is put back", async () => {
    const docs = "/dbs/shop/colls/orders/docs";
    await send(account, "POST", docs, { headers: ADA, body: { id: "versioned", customer: "ada", total: 1 } });
    await sleep(1100);
    await send(account, "PUT", `${docs}/versioned`, { headers: ADA, body: { id: "versioned", customer: "ada", total: 2, note: "second" } });
    await go("items/shop/orders");
    await openItem("versioned", "ada");
    await page.locator("#item-versions").click();
    const rows = page.locator(".version-list li");
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2);
    await rows.nth(1).getByRole("button").click();
    await picture("3-versions");
    await clean();
    await page.locator("#use-version").click();
    await page.locator("#save-item").click();
    await toastText("Saved");
    const now = JSON.parse((await send(account, "GET", `${docs}/versioned`, { headers: ADA })).text);
    assert.deepEqual([now.total, now.note], [1, undefined]);
  });

  await test("3 items: the container is shown as it was at a second, and nothing can be saved there", async () => {
    const docs = "/dbs/shop/colls/orders/docs";
    await send(account, "POST", docs, { headers: ADA, body: { id: "too-late", customer: "ada", total: 3 } });
    const { _ts: written } = JSON.parse((await send(account, "GET", `${docs}/too-late`, { headers: ADA })).text);
    await sleep(1100);
    await send(account, "DELETE", `${docs}/too-late`, { headers: ADA });
    const local = await page.evaluate((seconds) => {
      const date = new Date((seconds - new Date(seconds * 1000).getTimezoneOffset() * 60) * 1000);
      return date.toISOString().slice(0, 19);
    }, written);
    await page.getByRole("button", { name: "More about the items" }).click();
    await page.getByRole("menuitem", { name: "As it was" }).click();
    await page.getByRole("dialog").getByLabel("Second").fill(local);
    await page.getByRole("dialog").getByRole("button", { name: "Show" }).click();
    await page.getByText(/as of /).waitFor();
    await picture("3-as-it-was");
    await page.locator(".grid-row", { hasText: "order-" }).first().click();
    await page.getByRole("textbox", { name: /^Item / }).waitFor();
    assert.equal(await page.locator("#save-item").count(), 0, "the past cannot be saved");
    const past = await page.evaluate(async ([second, token]) => (await fetch(`/_planisphere/history/shop/orders/${second}`, { headers: { "x-planisphere-item-id": "too-late", "x-planisphere-csrf": token } })).json(),
      [written, (await page.evaluate(() => fetch("/_planisphere/session").then((answer) => answer.json()))).csrfToken]);
    assert.equal(past.items.length, 1, "it existed then");
    await page.getByRole("button", { name: "More about the items" }).click();
    await page.getByRole("menuitem", { name: "As it was" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Now" }).click();
    await page.getByText("100 and more items").waitFor();
  });

  await test("2 tree: scripts are created, edited and deleted", async () => {
    await go("items/shop/orders");
    await page.reload();
    await page.locator("body[data-ready=true]").waitFor();
    await page.getByRole("treeitem", { name: "shop", exact: true }).locator(".twist").first().click();
    await page.getByRole("treeitem", { name: "orders", exact: true }).locator(".twist").first().click();
    await page.getByRole("button", { name: "Actions of the scripts of orders" }).click();
    await page.getByRole("menuitem", { name: "New function" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Id").fill("lower");
    await clean();
    await dialog.getByRole("button", { name: "Save" }).click();
    await toastText("The function 'lower' is saved.");
    await page.getByRole("treeitem", { name: "lower" }).click();
    await dialog.getByRole("textbox", { name: "Text" }).fill("function lower(text) { return text; }");
    await picture("2-script");
    await dialog.getByRole("button", { name: "Save" }).click();
    await toastText("The function 'lower' is saved.");
    const stored = JSON.parse((await send(account, "GET", "/dbs/shop/colls/orders/udfs")).text).UserDefinedFunctions;
    assert.equal(stored[0].body, "function lower(text) { return text; }");
    await page.getByRole("button", { name: "Actions of the script lower" }).click();
    await page.getByRole("menuitem", { name: "Delete script" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await toastText("is deleted");
  });

  await test("2 tree: a procedure is created, run with arguments in a logical partition, and its mistakes are shown", async () => {
    await page.getByRole("button", { name: "Actions of the scripts of orders" }).click();
    await page.getByRole("menuitem", { name: "New stored procedure" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Id").fill("add");
    await dialog.getByRole("textbox", { name: "Text" }).fill(`function add(id, total) {
  console.log("adding", id);
  __.createDocument(__.getSelfLink(), { id, customer: "ada", total }, (error, made) => {
    if (error) throw error;
    getContext().getResponse().setBody({ made: made.id, total: made.total });
  });
}`);
    await clean();
    await dialog.getByRole("button", { name: "Save" }).click();
    await toastText("The stored procedure 'add' is saved.");
    await page.getByRole("button", { name: "Actions of the script add" }).click();
    await page.getByRole("menuitem", { name: "Run" }).click();
    await dialog.getByLabel("Partition key").fill("ada");
    await dialog.getByRole("textbox", { name: "Arguments" }).fill('["by-script", 12.5]');
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await dialog.getByLabel("Response").getByText('"made": "by-script"').waitFor();
    await dialog.getByLabel("Log").getByText("adding by-script").waitFor();
    await dialog.getByText(/^Done, [\d.]+ RU\.$/).waitFor();
    await clean();
    await picture("2-script-run");
    const made = JSON.parse((await send(account, "GET", "/dbs/shop/colls/orders/docs/by-script", { headers: ADA })).text);
    assert.equal(made.total, 12.5);
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await dialog.getByText(/Entity with the specified id already exists/).waitFor();
    assert.equal(await dialog.getByLabel("Response").count(), 0, "the response of the run before is gone");
    await dialog.getByRole("textbox", { name: "Arguments" }).fill("{}");
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await dialog.getByText("Write the arguments as a JSON array").waitFor();
    await dialog.getByRole("textbox", { name: "Arguments" }).fill("[");
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await dialog.getByText("The arguments are not JSON").waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Actions of the script add" }).click();
    await page.getByRole("menuitem", { name: "Delete script" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await toastText("is deleted");
    expectRefusals();
  });

  await test("2 tree: a function is run with arguments, and a trigger has nothing to run", async () => {
    await send(account, "POST", "/dbs/shop/colls/orders/udfs", { body: { id: "tax", body: "function tax(n, rate) { return n * rate; }" } });
    await send(account, "POST", "/dbs/shop/colls/orders/triggers", { body: { id: "stamp", body: "function () {}", triggerType: "Pre", triggerOperation: "Create" } });
    await page.reload();
    await page.locator("body[data-ready=true]").waitFor();
    await page.getByRole("treeitem", { name: "shop", exact: true }).locator(".twist").first().click();
    await page.getByRole("treeitem", { name: "orders", exact: true }).locator(".twist").first().click();
    await page.getByRole("treeitem", { name: "Scripts", exact: true }).locator(".twist").first().click();
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Actions of the script tax" }).click();
    await page.getByRole("menuitem", { name: "Run" }).click();
    await dialog.getByRole("textbox", { name: "Arguments" }).fill("[200, 0.5]");
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await dialog.getByLabel("Response").getByText("100").waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Actions of the script stamp" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).waitFor();
    assert.equal(await page.getByRole("menuitem", { name: "Run" }).count(), 0);
    await page.keyboard.press("Escape");
    await send(account, "DELETE", "/dbs/shop/colls/orders/udfs/tax");
    await send(account, "DELETE", "/dbs/shop/colls/orders/triggers/stamp");
  });

  await test("2 tree: users are created, get a permission, are renamed and deleted", async () => {
    await page.getByRole("button", { name: "Actions of the users of shop" }).click();
    await page.getByRole("menuitem", { name: "New user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Id").fill("reader");
    await dialog.getByRole("button", { name: "Create" }).click();
    await toastText("The user 'reader' is created.");
    await page.getByRole("treeitem", { name: "reader" }).click();
    await dialog.getByLabel("Permission").fill("read-orders");
    await dialog.getByLabel("Container").selectOption({ label: "orders" });
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByText("read-orders").waitFor();
    await clean();
    await picture("2-user");
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Actions of the user reader" }).click();
    await page.getByRole("menuitem", { name: "Delete user" }).click();
    await dialog.getByText("1 permissions end with it").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await toastText("is deleted");
    assert.equal(JSON.parse((await send(account, "GET", "/dbs/shop/users")).text).Users.length, 0);
  });

  await test("2 tree: a change shows the plan of `schema plan` and the price of the index", async () => {
    await go("settings/shop/orders");
    await page.getByLabel("Time to live").fill("1");
    await page.getByLabel("Indexing policy").fill('{"indexingMode": "consistent", "automatic": true, "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/\\"_etag\\"/?"}, {"path": "/total/?"}]}');
    await page.locator("#review").click();
    await page.getByText(/\d+ of \d+ items expire at once/).waitFor();
    await page.getByText(/\d+ items are indexed again/).waitFor();
    await page.locator("#policy-price").getByText("RU per write of a new item").waitFor();
    await page.getByText(/^No longer indexed: \/total\/\?/).waitFor();
    await picture("2-plan");
    await clean();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    const stored = JSON.parse((await send(account, "GET", "/dbs/shop/colls/orders")).text);
    assert.notEqual(stored.defaultTtl, 1, "nothing was applied");
    await page.getByLabel("Indexing policy").fill('{"indexingMode": "sometimes"}');
    await page.locator("#review").click();
    await page.locator("#settings-problem:not(:empty)").waitFor();
    assert.match(await page.getByLabel("Indexing policy").inputValue(), /sometimes/, "what was typed stays");
    expectRefusals();
  });

  await test("4 queries: the plan as a picture, the same query's charges, and the index that would help with its price", async () => {
    await send(account, "POST", "/dbs/shop/colls", { body: { id: "bare", partitionKey: { paths: ["/k"], kind: "Hash", version: 2 }, indexingPolicy: { indexingMode: "consistent", automatic: true, includedPaths: [{ path: "/k/?" }], excludedPaths: [{ path: "/*" }] } } });
    for (let number = 0; number < 60; number += 1) await send(account, "POST", "/dbs/shop/colls/bare/docs", { headers: { "x-ms-documentdb-partitionkey": '["a"]' }, body: { id: String(number), k: "a", n: number } });
    await go("queries/shop/bare");
    const area = page.getByRole("textbox", { name: "Query", exact: true });
    await area.fill("SELECT * FROM c WHERE c.n = 5");
    await area.press("Control+Enter");
    await page.getByRole("img", { name: /^Plan: 1 of 1 partitions touched, .*60 items loaded, 1 rows/ }).waitFor();
    await page.getByText("60 items were loaded for 1 rows").waitFor();
    await area.press("Control+Enter");
    await page.getByRole("img", { name: /^Charges of this query/ }).waitFor();
    await page.getByText(/2 runs in this browser; as the run before/).waitFor();
    await picture("4-plan");
    await clean();
    await page.getByRole("button", { name: "Show the policy change and its price" }).click();
    await page.locator("#policy-price").getByText("Index storage").waitFor();
    await picture("4-index");
    await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
    await toastText("The indexing policy is changed.");
    await page.waitForFunction(async () => {
      document.querySelector("#run-query").click();
      await new Promise((resolve) => { setTimeout(resolve, 400); });
      return /, 1 items loaded/.test(document.querySelector(".plan-picture svg")?.getAttribute("aria-label") ?? "");
    });
  });

  await test("5 bill and heat: storage by index path", async () => {
    await go("usage");
    await page.getByRole("button", { name: "Storage by index path of orders" }).click();
    await page.getByRole("img", { name: /^Storage by index path.*\/customer\/\?/ }).waitFor();
    await picture("5-index-storage");
    await clean();
  });

  await test("6 change feed: processors with their leases and lag", async () => {
    const { headers } = await send(account, "GET", "/dbs/shop/colls/orders/docs", { headers: { "a-im": "Incremental Feed", "if-none-match": "*", "x-ms-documentdb-partitionkeyrangeid": "3" } });
    await send(account, "POST", "/dbs/shop/colls/leases/docs", { headers: { "x-ms-documentdb-partitionkey": '["lease-3"]' }, body: { id: "lease-3", LeaseToken: "3", ContinuationToken: headers.get("etag"), Owner: "host-1", timestamp: new Date().toISOString() } });
    await go("feed/shop/orders");
    await page.locator("#leases").getByText("host-1").waitFor();
    await page.locator("#leases").getByText("up to date").waitFor();
    await order(account, 7000);
    await order(account, 7005);
    await page.locator("#refresh-leases").click();
    await page.locator("#leases").getByText("at most 2 changes").waitFor();
    await picture("6-processors");
    await clean();
  });

  await test("7 partitions: the keys of a range", async () => {
    await go("partitions/shop/orders");
    await page.locator(".ranges").getByText(/ada|alan|barbara/).first().waitFor();
    await page.getByRole("button", { name: /^Keys of partition/ }).first().click();
    for (const name of ["ada", "grace", "edsger", "barbara", "alan"]) await page.locator("#keys").getByText(`"${name}"`).waitFor();
    await clean();
    await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).click();
  });
}
