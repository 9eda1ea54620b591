// Calls to the service: as the session of this browser, or with a token given by hand.

let csrfToken = null;
let bearer = null;

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function useToken(token) {
  bearer = token;
}

export function headers(more = {}) {
  const all = { accept: "application/json", ...more };
  if (bearer) all.authorization = `Bearer ${bearer}`;
  else if (csrfToken) all["x-csrf-token"] = csrfToken;
  return all;
}

// Who is signed in; null when nobody is.
export async function session() {
  try {
    const found = await call("GET", "/session");
    csrfToken = found.csrfToken ?? null;
    return found;
  } catch (error) {
    if (error.status === 401) return null;
    throw error;
  }
}

export async function call(method, path, body) {
  const options = { method, headers: headers(), credentials: "same-origin" };
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
