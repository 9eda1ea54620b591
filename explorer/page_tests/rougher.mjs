// What goes wrong: a wrong key, text that is no JSON, odd ids, items that change meanwhile, a server that goes away in the
// middle. It is said where it happened, and nothing typed is lost. And a server on a folder, which is split and merged.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fill, order, send, startServer } from "./account.mjs";

const ADA = { "x-ms-documentdb-partitionkey": '["ada"]' };
const ODD_IDS = ["plain", "with space", "100% é ü", "quote'\"s", "a&b=c+d", "emoji 🙂", "…dots..", "<b>bold</b>", "semi;colon,comma", "[brackets]{}"];

export async function rougherTests({ test, browser, program, artefacts }) {
  const account = await startServer(program);
  await fill(account, 20);
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const go = (section) => page.goto(`${account.origin}/_explorer#/${section}`);
  const docs = "/dbs/shop/colls/orders/docs";
  const openItem = async (id) => {
    await page.getByRole("button", { name: "Open by id" }).click();
    await page.getByRole("dialog").getByLabel("Id").fill(id);
    await page.getByRole("dialog").getByLabel("Partition key").fill("ada");
    await page.getByRole("dialog").getByRole("button", { name: "Open" }).click();
    return page.getByRole("textbox", { name: `Item ${id}`, exact: true });
  };

  await test("bad input: a wrong key is said at its field and stays there", async () => {
    await page.goto(`${account.origin}/_explorer`);
    for (const wrong of ["bm90IHRoZSBrZXk=", "no base64 at all", "é"]) {
      await page.locator("#key").fill(wrong);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("This is not the key of this account.").waitFor();
      assert.equal(await page.locator("#key").inputValue(), wrong);
    }
    await page.locator("#key").fill(account.key);
    await page.keyboard.press("Enter");
    await page.locator("body[data-ready=true]").waitFor();
  });

  await test("bad input: text that is no JSON is marked at its line in items, parameters and settings", async () => {
    await go("items/shop/orders");
    await page.locator("#new-item").click();
    const area = page.getByRole("textbox", { name: "New item" });
    const typed = '{\n  "id": "x"\n  "customer": "ada"\n}';
    // Each with its place: the browser itself names none for several of them.
    const mistakes = [["", 1, 1], ["{", 1, 2], ['{"id": }', 1, 8], ['{"id": "x",}', 1, 12], ["{'id': 1}", 1, 2], ['{"id": "a\nb"}', 1, 10], ['{"id": 01}', 1, 8],
      ['{"id": "x"} {', 1, 13], ['{\n  "id": tru\n}', 2, 9], ['{\n  "id": "x"\n', 3, 1], [typed, 3, 3]];
    for (const [text, line, column] of mistakes) {
      await area.fill(text);
      await page.locator("#item-problem", { hasText: `Line ${line}, column ${column}: ` }).waitFor();
      await page.locator("#save-item").click();
      assert.equal(await area.inputValue(), text);
    }
    await go("queries/shop/orders");
    await page.locator("#parameters").fill("{least: 1}");
    await page.locator("#run-query").click();
    await page.getByText("This is not JSON. Line 1, column 2").waitFor();
    assert.equal(await page.locator("#parameters").inputValue(), "{least: 1}");
    await page.locator("#parameters").fill("");
    await go("settings/shop/orders");
    await page.getByLabel("Indexing policy").fill("{");
    await page.locator("#review").click();
    await page.getByText("This is not JSON. Line 1, column 2").waitFor();
    assert.equal(await page.getByLabel("Indexing policy").inputValue(), "{");
  });

  await test("bad input: ids with odd characters are created, opened, saved and deleted; refused ones are said", async () => {
    await go("items/shop/orders");
    for (const id of ODD_IDS) {
      await page.locator("#new-item").click();
      await page.getByRole("textbox", { name: "New item" }).fill(JSON.stringify({ id, customer: "ada", n: 1 }));
      await page.locator("#save-item").click();
      await page.locator(".toast", { hasText: "Saved" }).last().waitFor();
      await page.evaluate(() => document.querySelectorAll(".toast").forEach((toast) => toast.remove()));
      const area = await openItem(id);
      await area.fill(JSON.stringify({ id, customer: "ada", n: 2 }));
      await page.locator("#save-item").click();
      await page.locator(".toast", { hasText: "Saved" }).last().waitFor();
      await page.evaluate(() => document.querySelectorAll(".toast").forEach((toast) => toast.remove()));
      assert.equal(await page.locator("b", { hasText: "bold" }).count(), 0, "an id is never markup");
    }
    const { Documents: found } = JSON.parse((await send(account, "POST", docs, { headers: { ...ADA, "x-ms-documentdb-isquery": "true", "content-type": "application/query+json" }, body: { query: "SELECT VALUE c.id FROM c WHERE c.n = 2" } })).text);
    assert.deepEqual(found.toSorted(), ODD_IDS.toSorted());
    await page.locator("#new-item").click();
    const typed = '{"id": "a\\\\b", "customer": "ada"}';
    await page.getByRole("textbox", { name: "New item" }).fill(typed);
    await page.locator("#save-item").click();
    await page.locator("#item-problem:not(:empty)").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "New item" }).inputValue(), typed);
  });

  await test("bad input: an item that was changed, then one that was deleted meanwhile, lose nothing typed", async () => {
    await send(account, "POST", docs, { headers: ADA, body: { id: "shared", customer: "ada", total: 1 } });
    const area = await openItem("shared");
    await area.fill('{"id": "shared", "customer": "ada", "total": 5}');
    await send(account, "PUT", `${docs}/shared`, { headers: ADA, body: { id: "shared", customer: "ada", total: 9 } });
    await page.locator("#save-item").click();
    const both = page.getByRole("dialog", { name: "Two versions" });
    await both.waitFor();
    assert.match(await both.textContent(), /9[\s\S]*5|5[\s\S]*9/);
    await both.getByRole("button", { name: "Go on editing" }).click();
    assert.match(await area.inputValue(), /"total": 5/);
    await send(account, "DELETE", `${docs}/shared`, { headers: ADA });
    await page.locator("#save-item").click();
    await page.locator("#item-problem", { hasText: "deleted meanwhile" }).waitFor();
    assert.match(await area.inputValue(), /"total": 5/);
  });

  await test("bad input: a server that goes away in the middle is said where it happened, and what was typed stays", async () => {
    const area = await openItem("plain");
    const typed = '{"id": "plain", "customer": "ada", "n": 3, "text": "half a page"}';
    await area.fill(typed);
    account.server.kill("SIGKILL");
    await page.locator("#save-item").click();
    await page.locator("#item-problem", { hasText: "cannot be reached" }).waitFor();
    assert.equal(await area.inputValue(), typed);
    await page.screenshot({ path: join(artefacts, "bad-away.png") });
    await page.locator("#filter").fill("c.total > 3");
    await page.locator("#filter").press("Enter");
    await page.locator("#filter-problem", { hasText: "cannot be reached" }).waitFor();
    assert.equal(await page.locator("#filter").inputValue(), "c.total > 3");
    assert.equal(await area.inputValue(), typed);
  });
  await context.close();

  await test("7 partitions: a server on a folder is split and merged by hand, and keeps it over a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "explorer-"));
    const words = ["--data", join(folder, "data")];
    let stored = await startServer(program, words);
    await fill(stored, 40);
    const other = await browser.newContext({ reducedMotion: "reduce" });
    const tab = await other.newPage();
    tab.setDefaultTimeout(20_000);
    await tab.goto(stored.explorer);
    await tab.locator("body[data-ready=true]").waitFor();
    await tab.goto(`${stored.origin}/_explorer#/partitions/shop/orders`);
    await tab.getByRole("button", { name: "Split partition 0" }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Split" }).click();
    await tab.getByRole("button", { name: "Merge partition 1 with 2" }).waitFor();
    await order(stored, 100);
    await tab.getByRole("button", { name: "Merge partition 1 with 2" }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
    await tab.getByRole("button", { name: "Split partition 3" }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Split" }).click();
    await tab.getByRole("button", { name: "Merge partition 4 with 5" }).waitFor();
    await other.close();
    assert.equal(await stored.stop(), 0);
    stored = await startServer(program, words);
    const { partitions } = JSON.parse((await send(stored, "GET", "/_planisphere/partitions/shop/orders")).text);
    assert.deepEqual(partitions.map(({ number }) => number), [4, 5]);
    assert.equal(partitions.reduce((sum, { items }) => sum + items, 0), 41);
    assert.equal(await stored.stop(), 0);
    rmSync(folder, { recursive: true });
  });
}
