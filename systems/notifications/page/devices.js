// Devices: the list, and revoking one.

import { button } from "/_kit/control.js";
import { element } from "/_kit/element.js";
import { confirmDialog, emptyState, loadInto, toast } from "/_kit/feedback.js";
import { icon } from "/_kit/icon.js";
import { call } from "/_kit/session.js";
import { timeAgo } from "/_kit/time.js";

const PATH = "/api/notifications/devices";
const PLATFORMS = { fcm: "Android or web", apns: "Apple", webhook: "Webhook", mail: "Mail" };
const place = element("div", { class: "card flush", id: "devices" });

export function begin(panel) {
  panel.replaceChildren(element("h1", {}, "Devices"), element("p", { class: "soft" }, "Where pushes go. A revoked device gets none until it registers again."), place);
}

export const shown = () => load();

function load() {
  return loadInto(place, async () => {
    const { devices } = await call("GET", PATH);
    if (devices.length === 0) return emptyState("No devices", "A device appears here when its app has registered for pushes.", { icon: "device" });
    return element("ul", { "aria-label": "Devices, last seen first" }, ...devices.map(item));
  });
}

function item(device) {
  const name = device.label || device.deviceId;
  const about = element("p", { class: "soft small" }, PLATFORMS[device.platform] ?? device.platform, " · token ", element("code", {}, device.pushToken),
    " · last seen ", timeAgo(device.lastSeenAt));
  const text = element("div", { class: "grow" }, element("h2", { class: "strong small" }, name), about);
  const end = device.revokedAt
    ? element("span", { class: "tag" }, "revoked ", timeAgo(device.revokedAt))
    : button("Revoke", { kind: "danger", "aria-label": `Revoke: ${name}`, onclick: () => revoke(device, name) });
  return element("li", { class: "device" }, icon(device.platform === "mail" ? "send" : "device"), text, end);
}

// Not undone here: only the device itself can register again, so this one is confirmed.
async function revoke(device, name) {
  const done = await confirmDialog(`Revoke ${name}?`, element("p", {}, "It gets no more pushes until its app registers it again."), {
    label: "Revoke", run: () => call("POST", `${PATH}/${encodeURIComponent(device.deviceId)}/revoke`),
  });
  if (!done) return;
  await load();
  toast(`${name} gets no more pushes.`);
}
