// Changes of the list: server-sent events, read with fetch because EventSource does not show the status of a refusal.
// The stream has no event for an expired notification, so the unread count is also polled: seldom with a stream, often
// without.

import { call, checkSession, headers } from "./api.js";

const POLL_MS = 15_000;
const POLL_WITH_STREAM_MS = 60_000;
const RECONNECT_MS = 3_000;
// The service writes a line every 15 seconds; a connection that is silent for much longer is lost.
const SILENCE_MS = 45_000;

// Calls `react(name, data)` for each event, until the signal is aborted.
export async function follow(react, signal) {
  let last = null;
  while (!signal.aborted) {
    let poll = setInterval(() => pollCount(react), POLL_MS);
    let opened = false;
    try {
      last = await listen((name, data) => {
        if (!opened) {
          clearInterval(poll);
          poll = setInterval(() => pollCount(react), POLL_WITH_STREAM_MS);
        }
        opened = true;
        react(name, data);
      }, last, signal);
    } catch {
      // The loop reconnects; until then the count is polled.
    }
    clearInterval(poll);
    if (!signal.aborted) {
      await pollCount(react);
      await new Promise((resume) => setTimeout(resume, RECONNECT_MS));
    }
  }
}

async function pollCount(react) {
  try {
    react("asked", await call("GET", "/api/notifications/unread-count"));
  } catch {
    // The service may be reachable at the next poll.
  }
}

// Reads one connection to its end; returns the id of the last event.
async function listen(react, last, signal) {
  const extra = { accept: "text/event-stream" };
  if (last) extra["last-event-id"] = last;
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  const response = await fetch("/api/notifications/stream", { headers: headers(extra), signal: either });
  checkSession(response.status);
  if (!response.ok) throw new Error(`${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const position = { last };
  let text = "";
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const chunk = await reader.read().finally(() => clearTimeout(timer));
    if (chunk.done) return position.last;
    text += chunk.value.replaceAll("\r\n", "\n");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      handleEvent(text.slice(0, end), position, react);
      text = text.slice(end + 2);
    }
  }
}

function handleEvent(block, position, react) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
    if (field === "id") position.last = value;
  }
  if (data.length > 0) react(name, JSON.parse(data.join("\n")));
}
