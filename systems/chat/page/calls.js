// Calls of hub methods, one at a time. A refusal of the chat is the event `onError`, which names no call: with one call at
// a time it belongs to the open one.

import { HubFailure } from "./hub.js";

export function callQueue(connection) {
  let last = Promise.resolve();
  let refusal = null;
  let isBusy = false;

  const call = (method, ...args) => {
    const made = last.then(async () => {
      isBusy = true;
      refusal = null;
      try {
        const result = await connection().invoke(method, ...args);
        if (refusal !== null) throw new HubFailure(refusal);
        return result;
      } finally {
        isBusy = false;
      }
    });
    last = made.catch(() => {});
    return made;
  };

  // Takes the text of an `onError`; false if no call is open, so that it is to be shown.
  const refuse = (text) => {
    if (isBusy) refusal = text;
    return isBusy;
  };
  return { call, refuse };
}
