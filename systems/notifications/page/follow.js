// Changes of the list: the live stream, and the unread count by polling, because the stream has no event for an expired
// notification: seldom with a stream, often without.

import { call, checkSession, headers } from "/_kit/session.js";
import { liveStream } from "/_kit/stream.js";

const POLL_MS = 15_000;
const POLL_WITH_STREAM_MS = 60_000;

// Calls `react(name, data)` for each event, until the signal is aborted.
export function follow(react, signal) {
  let timer = 0;
  const poll = async () => {
    try {
      react("asked", await call("GET", "/api/notifications/unread-count"));
    } catch {
      // The service may be reachable at the next poll.
    }
  };
  const every = (ms) => {
    clearInterval(timer);
    if (!signal.aborted) timer = setInterval(poll, ms);
  };
  every(POLL_MS);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  return liveStream("/api/notifications/stream", {
    headers,
    signal,
    onevent: react,
    onstate: (state, status) => {
      if (status) checkSession(status);
      every(state === "live" ? POLL_WITH_STREAM_MS : POLL_MS);
      if (state === "waiting" && !signal.aborted) poll();
    },
  });
}
