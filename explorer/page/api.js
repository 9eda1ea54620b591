// Calls to the server with the session of this browser: the documented routes of the API and of `/_planisphere`.

let csrfToken = null;
let sessionEnded = () => {};

export class ApiError extends Error {
  constructor(status, message, subStatus = 0, body = null) {
    super(message);
    this.status = status;
    this.subStatus = subStatus;
    this.body = body;
  }
}

export const onSessionEnd = (handler) => { sessionEnded = handler; };

// What the server says about the session: { signedIn, version, endpoint, readOnly, wellKnownKey, csrfToken }.
export const session = () => about("GET");
export const signIn = (credential) => about("POST", credential);
export const signOut = () => about("DELETE");

async function about(method, body) {
  const answer = await send(method, "/_planisphere/session", {}, body && JSON.stringify(body));
  const state = JSON.parse(answer.text);
  csrfToken = state.csrfToken ?? null;
  return state;
}

// Sends a request; a failure is thrown. `body` is a value, or text that is sent as it is.
export async function call(method, path, { headers = {}, body, signal } = {}) {
  try {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return await send(method, path, headers, text, signal);
  } catch (error) {
    if (error.status === 401) sessionEnded();
    throw error;
  }
}

async function send(method, path, headers, body, signal) {
  const all = { accept: "application/json", ...headers };
  if (csrfToken) all["x-planisphere-csrf"] = csrfToken;
  if (body !== undefined) all["content-type"] ??= "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers: all, body, signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "The server cannot be reached. What you typed is kept; try again.");
  }
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, charge: Number(response.headers.get("x-ms-request-charge") ?? 0) };
  if (response.ok || response.status === 304) return answer;
  const problem = parsed(text);
  const message = explained(problem) ?? `The server answered with status ${response.status}.`;
  throw new ApiError(response.status, message, Number(response.headers.get("x-ms-substatus") ?? 0), problem);
}

// The text of an error for people: without the envelope of the service, with what the server adds to it.
function explained(problem) {
  if (!problem?.message) return undefined;
  const message = problem.message.replace(/\r?\nActivityId:[\s\S]*$/, "");
  const listed = parsed(message.replace(/^Message: /, ""))?.Errors;
  const said = listed ? listed.join(" ") : message;
  return problem.detail ? `${said} ${problem.detail}` : said;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const json = async (method, path, options) => parsed((await call(method, path, options)).text);
export const databasePath = (database) => `/dbs/${encodeURIComponent(database)}`;
export const containerPath = (database, container) => `${databasePath(database)}/colls/${encodeURIComponent(container)}`;
export const itemPath = (place, id) => `${containerPath(place.database, place.container)}/docs/${encodeURIComponent(id)}`;

// All entries of a feed such as `/dbs`, under the name of its array.
export async function feed(path, name) {
  const out = [];
  let continuation = null;
  do {
    const headers = continuation ? { "x-ms-continuation": continuation } : {};
    const answer = await call("GET", path, { headers });
    out.push(...(parsed(answer.text)?.[name] ?? []));
    continuation = answer.headers.get("x-ms-continuation");
  } while (continuation);
  return out;
}

// Headers are ASCII, so other characters are escaped as JSON does.
export const asciiJson = (value) => JSON.stringify(value).replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
export const keyHeader = (values) => ({ "x-ms-documentdb-partitionkey": asciiJson(values) });

// The partition key of an item: one value per path; a missing one is `{}`, as the API has it.
export function keyOf(definition, item) {
  return definition.paths.map((path) => {
    const names = path.slice(1).split("/").map((name) => name.replace(/^"(.*)"$/, "$1"));
    const value = names.reduce((at, name) => at?.[name], item);
    return value === undefined || (typeof value === "object" && value !== null) ? {} : value;
  });
}

// One page of a query. `options`: { parameters, key, count, continuation, signal, explain }.
export async function queryPage(place, query, { parameters = [], key, count = 100, continuation, signal, explain = false } = {}) {
  const headers = {
    "x-ms-documentdb-isquery": "true", "content-type": "application/query+json", "x-ms-max-item-count": String(count),
    "x-ms-documentdb-query-enablecrosspartition": "true", "x-planisphere-merge-partitions": "true", ...(key ? keyHeader(key) : {}),
  };
  if (continuation) headers["x-ms-continuation"] = continuation;
  if (explain) {
    headers["x-planisphere-explain-charge"] = "true";
    headers["x-ms-documentdb-populatequerymetrics"] = "true";
    headers["x-ms-cosmos-populateindexmetrics-v2"] = "true";
  }
  const answer = await call("POST", `${containerPath(place.database, place.container)}/docs`, { headers, body: { query, parameters }, signal });
  return { ...answer, rows: parsed(answer.text)?.Documents ?? [], continuation: answer.headers.get("x-ms-continuation") };
}
