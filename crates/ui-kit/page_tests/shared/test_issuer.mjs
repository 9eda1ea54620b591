// An issuer for page tests that speaks OpenID Connect: discovery, authorization with a form, token, keys, logout. It is
// strict: a code works once, and client, address and PKCE verifier must be those of the authorization request.

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const page = (body) => `<!doctype html><html lang="en"><title>Test issuer</title><main><h1>Test issuer</h1>${body}</main></html>`;
const hidden = (name, value) => `<input type="hidden" name="${name}" value="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">`;
const base64 = (value) => Buffer.from(value).toString("base64url");

// A port that is free now, for a service whose address must be known before it starts.
export async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

// Starts an issuer for one client. `people` are the claims of those who can sign in, by the name of their button. `path` is
// the path of its address, such as that of a tenant.
export async function testIssuer({ clientId, redirectUri, people, path = "" }) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256", use: "sig" };
  const codes = new Map();
  const log = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url.slice(request.url.startsWith(path) ? path.length : 0), issuer);
    log.push(`${request.method} ${url.pathname}`);
    const json = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const html = (body) => response.writeHead(200, { "content-type": "text/html" }).end(page(body));
    const leave = (to) => response.writeHead(303, { location: to }).end();
    if (url.pathname === "/.well-known/openid-configuration") {
      return json(200, {
        issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`,
        end_session_endpoint: `${issuer}/logout`, response_types_supported: ["code"], code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true, subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
      });
    }
    if (url.pathname === "/keys") return json(200, { keys: [jwk] });
    if (url.pathname === "/authorize") {
      const asked = Object.fromEntries(url.searchParams);
      const isRight = asked.client_id === clientId && asked.redirect_uri === redirectUri && asked.response_type === "code"
        && asked.code_challenge_method === "S256" && asked.scope.split(" ").includes("openid") && asked.state && asked.nonce;
      if (!isRight) return json(400, { error: "invalid_request", asked });
      if (asked.person === undefined) {
        const fields = Object.entries(asked).map(([name, value]) => hidden(name, value)).join("");
        const buttons = [...Object.keys(people), "nobody"].map((name) => `<button name="person" value="${name}">Continue as ${name}</button>`);
        return html(`<form action="${path}/authorize">${fields}${buttons.join("")}</form>`);
      }
      const back = new URL(redirectUri);
      back.searchParams.set("state", asked.state);
      back.searchParams.set("iss", issuer);
      if (asked.person === "nobody") back.searchParams.set("error", "access_denied");
      else {
        const code = base64(randomBytes(16));
        codes.set(code, asked);
        back.searchParams.set("code", code);
      }
      return leave(back.href);
    }
    if (url.pathname === "/token") {
      let body = "";
      for await (const part of request) body += part;
      const form = Object.fromEntries(new URLSearchParams(body));
      const asked = codes.get(form.code);
      codes.delete(form.code);
      const challenge = createHash("sha256").update(form.code_verifier ?? "").digest("base64url");
      const isRight = asked && form.grant_type === "authorization_code" && form.client_id === clientId
        && form.redirect_uri === asked.redirect_uri && challenge === asked.code_challenge;
      if (!isRight) return json(400, { error: "invalid_grant" });
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce: asked.nonce, ...people[asked.person] };
      const signed = `${base64(JSON.stringify({ alg: "ES256", typ: "JWT", kid: "k1" }))}.${base64(JSON.stringify(claims))}`;
      const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
      return json(200, { token_type: "Bearer", access_token: base64(randomBytes(16)), id_token: `${signed}.${base64(signature)}` });
    }
    if (url.pathname === "/logout") {
      const to = url.searchParams.get("post_logout_redirect_uri");
      return to?.startsWith(new URL(redirectUri).origin) ? leave(to) : html("<p>Signed out.</p>");
    }
    return json(404, {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${server.address().port}${path}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { issuer, log, close };
}
