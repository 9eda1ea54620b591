// Devices: the list, and revoking one.

import { call } from "./api.js";
import { announce, byId, element, showError, time } from "./element.js";

const PATH = "/api/notifications/devices";
const PLATFORMS = { fcm: "Android or web", apns: "Apple", webhook: "Webhook", mail: "Mail" };

export async function load() {
  const { devices } = await call("GET", PATH);
  byId("devices").replaceChildren(...devices.map(item));
  byId("no-devices").hidden = devices.some((device) => !device.revokedAt);
}

function item(device) {
  const name = device.label || device.deviceId;
  const about = element("p", { class: "when" },
    `${PLATFORMS[device.platform] ?? device.platform}, token ${device.pushToken}, last seen `, time(device.lastSeenAt));
  const text = element("div", { class: "text" }, element("h3", {}, name), about);
  if (device.revokedAt) {
    text.append(element("p", {}, "Revoked ", time(device.revokedAt)));
    return element("li", {}, text);
  }
  const revoke = element("button", {
    type: "button", "aria-label": `Revoke: ${name}`, onclick: () => revokeDevice(device, name).catch(showError),
  }, "Revoke");
  return element("li", {}, text, element("div", { class: "buttons" }, revoke));
}

async function revokeDevice(device, name) {
  await call("POST", `${PATH}/${encodeURIComponent(device.deviceId)}/revoke`);
  await load();
  announce(`${name} gets no more pushes.`);
  byId("tab-devices").focus();
}
