// Calls to the service, as the session of this browser.

let csrfToken = null;
// Told when the service does not know us any more.
let ended = () => {};

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function onSessionEnd(react) {
  ended = react;
}

export function headers(more = {}) {
  const all = { accept: "application/json", ...more };
  if (csrfToken) all["x-csrf-token"] = csrfToken;
  return all;
}

// Who is signed in; null when nobody is.
export async function session() {
  try {
    return known(await ask("GET", "/session"));
  } catch (error) {
    if (error.status === 401) return null;
    throw error;
  }
}

// Begins a session with a token, which is not kept.
export async function signIn(token) {
  csrfToken = null;
  return known(await ask("POST", "/session", undefined, { authorization: `Bearer ${token}` }));
}

export async function call(method, path, body) {
  try {
    return await ask(method, path, body);
  } catch (error) {
    refused(error.status);
    throw error;
  }
}

// Looks at the status of an answer: 401 means that the session is over.
export function refused(status) {
  if (status === 401) ended();
}

function known(found) {
  csrfToken = found.csrfToken ?? null;
  return found;
}

async function ask(method, path, body, more) {
  const options = { method, headers: headers(more), credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refusal(0, "The service cannot be reached.");
  }
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Refusal(response.status, sentence(answer, response.status));
}

// A problem document as one text: each field with what is wrong.
function sentence(problem, status) {
  const fields = (problem.errors ?? []).map((one) => `${one.field}: ${one.message}`);
  const detail = problem.detail ?? `The service answered ${status}.`;
  return [detail, ...fields].join(" ");
}
