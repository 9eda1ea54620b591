// A live stream of server-sent events with reconnect, read with fetch because EventSource does not show why it was
// refused. A connection that is silent for too long counts as lost.

import { element } from "./element.js";

const RECONNECT_MS = 1_000;
const RECONNECT_MS_MAX = 15_000;
const SILENCE_MS = 45_000;

// Calls `onevent(name, data)` until `signal` is aborted, and `onstate("live" | "waiting" | "refused", status)`.
// `open` is fetch, or its replacement in a test.
export async function liveStream(path, { headers = () => ({}), onevent, onstate = () => {}, signal, open = fetch }) {
  // Outside of the loop: also after a connection that broke, the next one begins behind the last event.
  const position = { last: null };
  let wait = RECONNECT_MS;
  while (!signal.aborted) {
    try {
      await connection(path, { open, headers, onevent: (name, data) => { wait = RECONNECT_MS; onevent(name, data); }, onstate, signal, position });
    } catch (error) {
      if (error.status) onstate("refused", error.status);
      if (error.status === 401) return;
    }
    if (signal.aborted) return;
    onstate("waiting");
    await pause(wait, signal);
    wait = Math.min(wait * 2, RECONNECT_MS_MAX);
  }
}

// A tag that shows the state of a stream: pass `show` as `onstate`.
export function streamTag() {
  const node = element("span", { class: "tag stream-state", role: "status" }, "Connecting");
  const states = { live: ["Live", "good"], waiting: ["Connecting again", "warn"], refused: ["Refused", "bad"] };
  const show = (state) => {
    const [text, kind] = states[state];
    // Refused stays until there is a connection; waiting follows at once and says less.
    if (state === "waiting" && node.classList.contains("bad")) return;
    node.textContent = text;
    node.className = `tag stream-state ${kind}`;
  };
  return { node, show };
}

export function pause(ms, signal) {
  return new Promise((resume) => {
    const timer = setTimeout(resume, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); resume(); }, { once: true });
  });
}

async function connection(path, { open, headers, onevent, onstate, signal, position }) {
  const silence = new AbortController();
  const given = { accept: "text/event-stream", ...headers() };
  if (position.last) given["last-event-id"] = position.last;
  const response = await open(path, { headers: given, signal: AbortSignal.any([signal, silence.signal]) });
  if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
  onstate("live");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const chunk = await reader.read().finally(() => clearTimeout(timer));
    if (chunk.done) return;
    text += chunk.value.replaceAll("\r\n", "\n");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      readEvent(text.slice(0, end), position, onevent);
      text = text.slice(end + 2);
    }
  }
}

function readEvent(block, position, onevent) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
    if (field === "id") position.last = value;
  }
  if (data.length > 0) onevent(name, JSON.parse(data.join("\n")));
}
