// Live news of the list: server-sent events, read by fetch so that the status of a refusal is seen. Nothing tells that a
// notification has expired, so the count is also asked for: seldom beside a stream, often without one.

import { call, headers, refused } from "./api.js";

const POLL_MS = 15_000;
const POLL_BESIDE_MS = 60_000;
const AGAIN_MS = 3_000;
// The service writes a line every 15 seconds; a connection silent for longer is dead.
const SILENCE_MS = 45_000;

// Calls `react(name, data)` for each piece of news, until the signal.
export async function follow(react, signal) {
  let last = null;
  while (!signal.aborted) {
    let poll = setInterval(() => ask(react), POLL_MS);
    let opened = false;
    try {
      last = await listen((name, data) => {
        if (!opened) {
          clearInterval(poll);
          poll = setInterval(() => ask(react), POLL_BESIDE_MS);
        }
        opened = true;
        react(name, data);
      }, last, signal);
    } catch {
      // It is tried again below; meanwhile the count comes by polling.
    }
    clearInterval(poll);
    if (!signal.aborted) {
      await ask(react);
      await new Promise((resume) => setTimeout(resume, AGAIN_MS));
    }
  }
}

async function ask(react) {
  try {
    react("asked", await call("GET", "/api/notifications/unread-count"));
  } catch {
    // The next round may find the service again.
  }
}

// Reads one connection to its end; gives the id of the last event.
async function listen(react, last, signal) {
  const more = { accept: "text/event-stream" };
  if (last) more["last-event-id"] = last;
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  const response = await fetch("/api/notifications/stream", { headers: headers(more), signal: either });
  refused(response.status);
  if (!response.ok) throw new Error(`${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const place = { last };
  let text = "";
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const piece = await reader.read().finally(() => clearTimeout(timer));
    if (piece.done) return place.last;
    text += piece.value.replaceAll("\r\n", "\n");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      event(text.slice(0, end), place, react);
      text = text.slice(end + 2);
    }
  }
}

function event(block, place, react) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
    if (field === "id") place.last = value;
  }
  if (data.length > 0) react(name, JSON.parse(data.join("\n")));
}
