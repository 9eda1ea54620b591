// A client of a SignalR hub: JSON over a WebSocket, connected again when it is lost. Owns the connection. Does not own what
// is called and heard over it.

const SEPARATOR = "\u001e";
const INVOCATION = 1;
const COMPLETION = 3;
const PING = 6;
const CLOSE = 7;
const PING_MS = 15_000;
// The server pings every ten seconds; a connection that is silent for three times of it is lost.
const SILENCE_MS = 30_000;
const OPEN_MS = 15_000;
const WAIT_MS = 500;
const WAIT_MS_MAX = 20_000;

const frame = (message) => JSON.stringify(message) + SEPARATOR;

// An error of the hub: `isLost` when the connection ended before the answer, so that nobody knows what was done.
export class HubFailure extends Error {
  constructor(message, { isLost = false, status = 0 } = {}) {
    super(message);
    this.isLost = isLost;
    this.status = status;
  }
}

// Connects to the hub at `path` until `stop()`. `onevent(target, arguments)` gets what the hub sends. `onstate(state,
// about)` gets "connecting", "connected" with { attempt, waited, reason }, "waiting" with { ms }, and "refused" with
// { status } when the service wants no further attempt.
export function hubConnection(path, { headers, onevent, onstate }) {
  let socket = null;
  let isStopped = false;
  let wake = () => {};
  let ids = 0;
  const open = new Map();

  const invoke = (target, ...args) => new Promise((resolve, reject) => {
    if (socket === null) {
      reject(new HubFailure("There is no connection.", { isLost: true }));
      return;
    }
    const invocationId = String((ids += 1));
    open.set(invocationId, { resolve, reject });
    socket.send(frame({ type: INVOCATION, invocationId, target, arguments: args }));
  });

  const complete = ({ invocationId, result, error }) => {
    const call = open.get(invocationId);
    open.delete(invocationId);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new HubFailure(error));
  };

  const receive = (message) => {
    if (message.type === INVOCATION) onevent(message.target, message.arguments);
    else if (message.type === COMPLETION) complete(message);
    else if (message.type === CLOSE) return { reason: message.error ?? "The service closed the connection.", isFinal: Boolean(message.error) && message.allowReconnect !== true };
    return null;
  };

  // One connection: resolves with the reason when it has ended.
  const connect = (address, onopen) => new Promise((resolve) => {
    const candidate = new WebSocket(address);
    let isShaken = false;
    let ended = { reason: "The connection was lost." };
    let silence = 0;
    let ping = 0;
    const finish = () => {
      clearTimeout(silence);
      clearInterval(ping);
      candidate.onmessage = candidate.onclose = null;
      candidate.close();
      socket = null;
      for (const { reject } of open.values()) reject(new HubFailure(ended.reason, { isLost: true }));
      open.clear();
      resolve(ended);
    };
    const listen = (ms) => {
      clearTimeout(silence);
      silence = setTimeout(() => { ended = { reason: "The service is silent." }; finish(); }, ms);
    };
    listen(OPEN_MS);
    candidate.onopen = () => candidate.send(frame({ protocol: "json", version: 1 }));
    candidate.onclose = finish;
    candidate.onmessage = ({ data }) => {
      listen(SILENCE_MS);
      for (const text of data.split(SEPARATOR).filter(Boolean)) {
        const message = JSON.parse(text);
        if (!isShaken) {
          if (message.error) { ended = { reason: message.error, isFinal: true }; finish(); return; }
          isShaken = true;
          socket = candidate;
          ping = setInterval(() => candidate.send(frame({ type: PING })), PING_MS);
          onopen();
          continue;
        }
        const closed = receive(message);
        if (closed) { ended = closed; finish(); return; }
      }
    };
    wake = finish;
  });

  const negotiate = async () => {
    const response = await fetch(`${path}/negotiate?negotiateVersion=1`, { method: "POST", headers: headers(), credentials: "same-origin", signal: AbortSignal.timeout(OPEN_MS) });
    if (!response.ok) throw new HubFailure(`The service responded with status ${response.status}.`, { status: response.status });
    const { connectionToken, error } = await response.json();
    if (error) throw new HubFailure(error, { status: 400 });
    const address = new URL(path, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("id", connectionToken);
    return address.href;
  };

  // One attempt, and its connection if it succeeds. Returns whether another attempt makes sense.
  const attemptOnce = async (about) => {
    onstate("connecting", about);
    try {
      const address = await negotiate();
      if (isStopped) return false;
      const { reason, isFinal } = await connect(address, () => { onstate("connected", { ...about }); about.attempt = 0; });
      about.reason = reason;
      if (isFinal && !isStopped) onstate("refused", { status: 0, reason });
      return !isFinal;
    } catch (error) {
      about.reason = error.message;
      // Without a session, or as no user, another attempt has the same answer.
      if (![400, 401, 403].includes(error.status)) return true;
      onstate("refused", { status: error.status, reason: error.message });
      return false;
    }
  };

  const run = async () => {
    const about = { attempt: 0, waited: 0, reason: "" };
    while (!isStopped && await attemptOnce(about) && !isStopped) {
      about.attempt += 1;
      // Not all clients of a service that starts again come at the same moment.
      const most = Math.min(WAIT_MS * 2 ** (about.attempt - 1), WAIT_MS_MAX);
      about.waited = Math.round(most * (0.5 + Math.random() / 2));
      onstate("waiting", { ms: about.waited, reason: about.reason });
      await new Promise((resume) => {
        const timer = setTimeout(resume, about.waited);
        wake = () => { clearTimeout(timer); resume(); };
      });
    }
  };

  const stop = () => { isStopped = true; wake(); };
  // Ends a wait between two attempts.
  const retry = () => { if (socket === null) wake(); };
  run();
  return { invoke, stop, retry, isOpen: () => socket !== null };
}
