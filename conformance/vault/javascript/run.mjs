// The scenarios of the Vault protocol with node-vault.

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import vault from "node-vault";

const { values } = parseArgs({ options: { endpoint: { type: "string" }, token: { type: "string" } } });
const open = (token) => vault({ apiVersion: "v1", endpoint: values.endpoint, token });
const root = open(values.token);
const scenarios = [];
const scenario = (area, name, body) => scenarios.push({ area, name, body });
const fails = async (status, call) => {
  try {
    await call();
  } catch (error) {
    assert.equal(error.response?.statusCode, status, error.message);
    return;
  }
  assert.fail(`no ${status}`);
};
const write = (path, data, options) => root.write(`secret/data/js/${path}`, { data, ...(options && { options }) });
const read = async (path, query = "") => (await root.read(`secret/data/js/${path}${query}`)).data;

scenario("state", "health and seal status", async () => {
  assert.equal((await root.initialized()).initialized, true);
  assert.equal((await root.status()).sealed, false);
  assert.equal((await root.health()).initialized, true);
});
scenario("data", "write, read and read a version", async () => {
  await write("a", { k: "1" });
  await write("a", { k: "2", deep: { x: [1, null, "é"] } });
  const now = await read("a");
  assert.deepEqual(now.data, { k: "2", deep: { x: [1, null, "é"] } });
  assert.equal(now.metadata.version, 2);
  assert.deepEqual((await read("a", "?version=1")).data, { k: "1" });
});
scenario("data", "a path that is not there", () => fails(404, () => read("nothing")));
scenario("data", "check and set", async () => {
  await write("cas", { k: 1 }, { cas: 0 });
  await fails(400, () => write("cas", { k: 2 }, { cas: 0 }));
  await write("cas", { k: 2 }, { cas: 1 });
});
scenario("data", "patch", async () => {
  if (!root.update) return "node-vault has no call for PATCH";
  await write("patch", { a: "1", b: "2" });
  await root.update("secret/data/js/patch", { data: { b: "3" } });
  assert.deepEqual((await read("patch")).data, { a: "1", b: "3" });
});
scenario("versions", "delete and undelete", async () => {
  await write("del", { k: 1 });
  await root.delete("secret/data/js/del");
  await fails(404, () => read("del"));
  await root.write("secret/undelete/js/del", { versions: [1] });
  assert.deepEqual((await read("del")).data, { k: 1 });
});
scenario("versions", "destroy", async () => {
  await write("destroy", { k: 1 });
  await root.write("secret/destroy/js/destroy", { versions: [1] });
  await root.write("secret/undelete/js/destroy", { versions: [1] });
  await fails(404, () => read("destroy"));
});
scenario("metadata", "read, update and delete", async () => {
  await root.write("secret/metadata/js/meta", { max_versions: 2, custom_metadata: { team: "shop" } });
  for (let number = 0; number < 4; number += 1) await write("meta", { k: number });
  const { data } = await root.read("secret/metadata/js/meta");
  assert.deepEqual(Object.keys(data.versions), ["3", "4"]);
  assert.deepEqual(data.custom_metadata, { team: "shop" });
  await root.delete("secret/metadata/js/meta");
  await fails(404, () => root.read("secret/metadata/js/meta"));
});
scenario("metadata", "list", async () => {
  await write("list/a", {});
  await write("list/b/c", {});
  assert.deepEqual((await root.list("secret/metadata/js/list")).data.keys, ["a", "b/"]);
  await fails(404, () => root.list("secret/metadata/js/none"));
});
scenario("metadata", "subkeys", async () => {
  await write("sub", { a: "x", b: { c: "y" } });
  assert.deepEqual((await root.read("secret/subkeys/js/sub")).data.subkeys, { a: null, b: { c: null } });
});
scenario("mounts", "another mount with its settings", async () => {
  await root.mount({ mount_point: "js-kv", type: "kv", options: { version: "2" } });
  assert.ok((await root.mounts()).data["js-kv/"]);
  await root.write("js-kv/config", { max_versions: 5, cas_required: true });
  assert.equal((await root.read("js-kv/config")).data.max_versions, 5);
  await fails(400, () => root.write("js-kv/data/a", { data: { k: 1 } }));
});
scenario("access", "a policy decides by path", async () => {
  await root.addPolicy({ name: "js", rules: 'path "secret/data/js/open/*" { capabilities = ["create", "read"] }' });
  assert.ok((await root.policies()).data.policies.includes("js"));
  // The library goes on with the token that it has created, so that another client creates it.
  const { auth } = await open(values.token).tokenCreate({ policies: ["js"], ttl: "1h" });
  const other = open(auth.client_token);
  await other.write("secret/data/js/open/a", { data: { k: 1 } });
  await other.read("secret/data/js/open/a");
  await fails(403, () => other.write("secret/data/js/open/a", { data: { k: 2 } }));
  await fails(403, () => other.read("secret/data/js/a"));
});
scenario("access", "an AppRole logs in, renews and revokes its token", async () => {
  await root.addPolicy({ name: "js-role", rules: 'path "secret/data/js/*" { capabilities = ["read"] }' });
  await root.addApproleRole({ role_name: "js", policies: "js-role", token_ttl: 600 });
  const { data: { role_id } } = await root.getApproleRoleId({ role_name: "js" });
  const { data: { secret_id } } = await root.getApproleRoleSecret({ role_name: "js" });
  const client = open(undefined);
  const { auth } = await client.approleLogin({ role_id, secret_id });
  client.token = auth.client_token;
  await client.read("secret/data/js/a");
  assert.equal((await client.tokenRenewSelf()).auth.lease_duration, 600);
  assert.ok((await client.tokenLookupSelf()).data.policies.includes("js-role"));
  await client.tokenRevokeSelf();
  await fails(403, () => client.read("secret/data/js/a"));
});
scenario("access", "no token, a wrong token", async () => {
  await fails(403, () => open("").read("secret/data/js/a"));
  await fails(403, () => open("wrong").read("secret/data/js/a"));
});

for (const { area, name, body } of scenarios) {
  let [outcome, reason] = ["passed", ""];
  try {
    const missing = await body();
    if (missing) [outcome, reason] = ["unsupported", missing];
  } catch (error) {
    [outcome, reason] = ["failed", error.message];
  }
  console.log(JSON.stringify({ scenario: name, area, outcome, reason }));
}
