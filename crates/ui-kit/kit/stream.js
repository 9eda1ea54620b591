// A live stream of server-sent events with reconnect, read with fetch because EventSource does not show why it was
// refused. A connection that is silent for too long counts as lost.

const RECONNECT_MS = 1_000;
const RECONNECT_MS_MAX = 15_000;
const SILENCE_MS = 45_000;

// Calls `onevent(name, data)` until `signal` is aborted, and `onstate("live" | "waiting" | "refused", status)`.
export async function liveStream(path, { headers = () => ({}), onevent, onstate = () => {}, signal }) {
  let last = null;
  let wait = RECONNECT_MS;
  while (!signal.aborted) {
    try {
      const position = { last };
      await connection(path, { headers, onevent: (name, data) => { wait = RECONNECT_MS; onevent(name, data); }, onstate, signal, position });
      last = position.last;
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

export function pause(ms, signal) {
  return new Promise((resume) => {
    const timer = setTimeout(resume, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); resume(); }, { once: true });
  });
}

async function connection(path, { headers, onevent, onstate, signal, position }) {
  const silence = new AbortController();
  const given = { accept: "text/event-stream", ...headers() };
  if (position.last) given["last-event-id"] = position.last;
  const response = await fetch(path, { headers: given, signal: AbortSignal.any([signal, silence.signal]) });
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
