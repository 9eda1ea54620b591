// Calls to a service, with the session of this browser, and its begin and end.

let csrfToken = null;
// Called when the service no longer accepts the session.
let sessionEnded = () => {};

// An error of a call. `fields` are the wrong fields of the input: [{ field, message }].
export class ApiError extends Error {
  constructor(status, message, fields = []) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

export function onSessionEnd(handler) {
  sessionEnded = handler;
}

export function headers(extra = {}) {
  const all = { accept: "application/json", ...extra };
  if (csrfToken) all["x-csrf-token"] = csrfToken;
  return all;
}

// The session; null if nobody is signed in.
export async function session() {
  try {
    return keepToken(await request("GET", "/session"));
  } catch (error) {
    if (error.status === 401) return null;
    throw error;
  }
}

// Starts a session with a token, which is not kept.
export async function signIn(token) {
  csrfToken = null;
  return keepToken(await request("POST", "/session", undefined, { authorization: `Bearer ${token}` }));
}

// How people can sign in: `issuer` is the address of the issuer at which they do, if there is one.
export const signInMethods = () => request("GET", "/session/methods");

// The address that sends this browser to the issuer, and back to the page `to`.
export const issuerSignIn = (to) => `/session/oidc?return=${encodeURIComponent(to)}`;

// Ends the session, also at the issuer if it began there, and shows the page anew.
export async function signOut() {
  const left = await call("POST", "/session/sign-out");
  if (left?.endSessionUrl) location.assign(left.endSessionUrl);
  else location.reload();
}

export async function call(method, path, body) {
  try {
    return await request(method, path, body);
  } catch (error) {
    checkSession(error.status);
    throw error;
  }
}

// Checks the status of a response: 401 means that the session has ended.
export function checkSession(status) {
  if (status === 401) sessionEnded();
}

function keepToken(session) {
  csrfToken = session.csrfToken ?? null;
  return session;
}

async function request(method, path, body, extraHeaders) {
  const options = { method, headers: headers(extraHeaders), credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(0, "The service cannot be reached.");
  }
  if (response.status === 204) return null;
  const result = await response.json().catch(() => ({}));
  if (response.ok) return result;
  throw new ApiError(response.status, result.detail ?? `The service responded with status ${response.status}.`, result.errors);
}
