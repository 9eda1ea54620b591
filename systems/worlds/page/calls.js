// Calls to the service that also need headers: etags, archives.

import { ApiError, checkSession, headers } from "/_kit/session.js";

const BASE = "/api/v1";

// The data of an answer, with its etag, its warnings and its place in the list.
export async function api(method, path, body, extra = {}) {
  const isBytes = body instanceof Blob;
  const given = headers(extra);
  if (body !== undefined) given["content-type"] = isBytes ? "application/zip" : "application/json";
  const options = { method, headers: given, credentials: "same-origin" };
  if (body !== undefined) options.body = isBytes ? body : JSON.stringify(body);
  const response = await fetch(BASE + path, options).catch(() => {
    throw new ApiError(0, "The service cannot be reached.");
  });
  if (response.status === 204) return { data: null };
  const answer = await response.json().catch(() => ({}));
  if (response.ok) {
    const { data, meta, pagination } = answer;
    return { data, warnings: meta?.warnings ?? [], next: pagination?.nextCursor ?? null, etag: response.headers.get("etag"), status: response.status };
  }
  checkSession(response.status);
  const fields = (answer.errors ?? []).map(({ field, message }) => ({ field, message }));
  const details = fields.map(({ field, message }) => `${field} ${message}`).join("; ");
  const text = answer.detail ?? `The service responded with status ${response.status}.`;
  throw new ApiError(response.status, details ? `${text} ${details}` : text, fields);
}

export const worldPath = (world, rest = "") => `/worlds/${encodeURIComponent(world)}${rest}`;
export const entityPath = (world, entity, rest = "") => worldPath(world, `/entities/${encodeURIComponent(entity)}${rest}`);
