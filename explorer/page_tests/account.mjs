// A server to test with: started here, and filled over the API with signed requests as a client library sends them.

import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import readline from "node:readline";

export async function startServer(program, words = []) {
  const server = spawn(program, ["serve", ...(words.includes("--data") ? [] : ["--memory"]), "--port", "0", "--ready-json", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  // It may be killed in a test; nobody waits for its end then.
  const [line] = await once(readline.createInterface({ input: server.stdout }), "line");
  const { ready } = JSON.parse(line);
  const stop = async () => {
    server.kill("SIGTERM");
    const [code] = await once(server, "exit");
    return code;
  };
  return { ...ready, origin: ready.endpoint.replace(/\/$/, ""), stop, server };
}

export async function send(account, method, path, { headers = {}, body } = {}) {
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  const isFeed = parts.length % 2 === 1;
  const kind = isFeed ? parts.at(-1) : parts.at(-2);
  const link = (isFeed ? parts.slice(0, -1) : parts).join("/");
  const date = new Date().toUTCString();
  const text = `${method.toLowerCase()}\n${kind}\n${link}\n${date.toLowerCase()}\n\n`;
  const signature = createHmac("sha256", Buffer.from(account.key, "base64")).update(text).digest("base64");
  const answer = await fetch(account.origin + path, {
    method,
    headers: { "x-ms-date": date, "x-ms-version": "2020-07-15", "user-agent": "cosmos-js/4.5.0", authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const PEOPLE = ["ada", "grace", "edsger", "barbara", "alan"];

// The database `shop` with `orders` (items, versions kept) and `leases`.
export async function fill(account, items = 250) {
  await send(account, "POST", "/dbs", { body: { id: "shop" } });
  await send(account, "POST", "/dbs/shop/colls", { body: { id: "orders", partitionKey: { paths: ["/customer"], kind: "Hash", version: 2 }, changeFeedPolicy: { retentionDuration: 60 } } });
  await send(account, "POST", "/dbs/shop/colls", { body: { id: "leases", partitionKey: { paths: ["/id"], kind: "Hash", version: 2 } } });
  for (let number = 0; number < items; number += 1) await order(account, number);
}

export function order(account, number, more = {}) {
  const customer = PEOPLE[number % PEOPLE.length];
  const body = { id: `order-${String(number).padStart(4, "0")}`, customer, total: (number * 37) % 500, paid: number % 3 === 0, lines: [{ sku: `A-${number % 9}`, count: 1 + (number % 4) }], ...more };
  return send(account, "POST", "/dbs/shop/colls/orders/docs", { headers: { "x-ms-documentdb-partitionkey": JSON.stringify([customer]) }, body });
}
