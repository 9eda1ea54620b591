// A line between the browsers and the service that a test can cut: refuse connections, end the open ones, or withhold what
// the service answers.

import { once } from "node:events";
import { connect, createServer } from "node:net";

export async function cuttableLine(port) {
  const pairs = new Set();
  let isCut = false;
  let isMute = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    const pair = [near, far];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => { if (!isMute) near.write(bytes); });
    for (const socket of pair) socket.on("error", end).on("close", end);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const drop = () => { for (const pair of [...pairs]) for (const socket of pair) socket.destroy(); };
  return {
    port: server.address().port,
    // Requests still arrive; answers do not.
    mute() { isMute = true; },
    cut() { isCut = true; drop(); },
    restore() { isCut = false; isMute = false; },
    async close() {
      drop();
      server.close();
      await once(server, "close");
    },
  };
}
