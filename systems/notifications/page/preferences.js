// Preferences: categories, the time zone, and quiet hours as a grid of four rows with six hours each.

import { call } from "./api.js";
import { announce, byId, element, showError } from "./element.js";

const PATH = "/api/notifications/preferences";
const COLUMNS = 6;
const TOGGLES = ["social", "news", "marketing"];

export async function begin() {
  const hours = byId("hours");
  hours.replaceChildren(...Array.from({ length: 24 }, (_, hour) => hourButton(hour)));
  hours.addEventListener("keydown", move);
  byId("timezones").replaceChildren(...timeZones().map((value) => element("option", { value })));
  byId("preferences-form").addEventListener("submit", (event) => {
    event.preventDefault();
    save(event.target).catch(showError);
  });
  show(await call("GET", PATH));
}

function timeZones() {
  return typeof Intl.supportedValuesOf === "function" ? ["UTC", ...Intl.supportedValuesOf("timeZone")] : ["UTC"];
}

const twoDigits = (number) => String(number).padStart(2, "0");

function hourButton(hour) {
  return element("button", {
    type: "button", "aria-pressed": "false", tabindex: hour === 0 ? "0" : "-1",
    "aria-label": `Quiet from ${twoDigits(hour)}:00 to ${twoDigits((hour + 1) % 24)}:00`,
    onclick: (event) => toggle(event.currentTarget),
  }, twoDigits(hour));
}

function toggle(button) {
  button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
}

// The grid is one tab stop; arrows, Home and End move inside it.
function move(event) {
  const buttons = [...byId("hours").children];
  const at = buttons.indexOf(document.activeElement);
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };
  let to;
  if (event.key in steps) to = (at + steps[event.key] + buttons.length) % buttons.length;
  else if (event.key === "Home") to = 0;
  else if (event.key === "End") to = buttons.length - 1;
  else return;
  event.preventDefault();
  buttons[at]?.setAttribute("tabindex", "-1");
  buttons[to].setAttribute("tabindex", "0");
  buttons[to].focus();
}

function show(preferences) {
  const form = byId("preferences-form");
  for (const name of TOGGLES) form.elements[name].checked = preferences.categories[name];
  form.elements.timezone.value = preferences.timezone;
  [...byId("hours").children].forEach((button, hour) => {
    button.setAttribute("aria-pressed", String(preferences.quietHours[hour]));
  });
}

async function save(form) {
  const pressed = (button) => button.getAttribute("aria-pressed") === "true";
  const categories = Object.fromEntries(TOGGLES.map((name) => [name, form.elements[name].checked]));
  show(await call("PUT", PATH, {
    timezone: form.elements.timezone.value.trim(),
    quietHours: [...byId("hours").children].map(pressed),
    categories,
  }));
  announce("Saved.");
}
