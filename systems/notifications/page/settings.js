// Settings: categories, the time zone, and quiet hours as a grid of four rows with six hours each.

import { button, field } from "/_kit/control.js";
import { byId, element } from "/_kit/element.js";
import { toast } from "/_kit/feedback.js";
import { call } from "/_kit/session.js";

const PATH = "/api/notifications/preferences";
const COLUMNS = 6;
const TOGGLES = [
  ["social", "Social", "Likes, comments, replies, shares and new followers."],
  ["news", "News", "What is new in the system itself, a few times a year."],
  ["marketing", "Offers", "Promotions. Off unless you switch them on."],
];
const twoDigits = (number) => String(number).padStart(2, "0");
const hours = element("div", { id: "hours", role: "group", "aria-label": "Quiet hours", "aria-describedby": "hours-note" });
const summary = element("p", { class: "strong", id: "hours-summary" });
let boxes;
let zone;

export async function begin(panel) {
  boxes = Object.fromEntries(TOGGLES.map(([name]) => [name, element("input", { type: "checkbox", name })]));
  const options = TOGGLES.map(([name, label, about]) => element("label", { class: "option" }, boxes[name],
    element("span", {}, element("span", { class: "strong" }, label), element("span", { class: "hint" }, about))));
  hours.append(...Array.from({ length: 24 }, (_, hour) => hourButton(hour)));
  hours.addEventListener("keydown", move);
  zone = field("Time zone", element("input", { class: "input", id: "timezone", name: "timezone", list: "timezones", autocomplete: "off", spellcheck: "false", required: true }),
    { hint: "The quiet hours are hours of this place." });
  zone.input.addEventListener("input", () => summarize());
  const form = element("form", { id: "preferences-form", class: "stack wide", novalidate: true },
    element("section", { class: "card", "aria-labelledby": "categories-title" },
      element("h2", { id: "categories-title" }, "What you get"), ...options,
      element("p", { class: "hint" }, "Safety and security always come through: they are about your account.")),
    element("section", { class: "card stack", "aria-labelledby": "hours-title" },
      element("h2", { id: "hours-title" }, "Quiet hours"),
      element("p", { class: "soft", id: "hours-note" }, "In these hours no device is disturbed. Notifications still arrive in the list. Arrow keys move, space chooses."),
      hours, summary, zone.node, element("datalist", { id: "timezones" }, ...timeZones().map((value) => element("option", { value })))),
    element("div", { class: "row" }, button("Save", { kind: "primary", type: "submit" })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save().catch(showProblem);
  });
  panel.replaceChildren(element("h1", {}, "Settings"), form);
  show(await call("GET", PATH));
}

function timeZones() {
  return typeof Intl.supportedValuesOf === "function" ? ["UTC", ...Intl.supportedValuesOf("timeZone")] : ["UTC"];
}

function hourButton(hour) {
  return button(twoDigits(hour), {
    "aria-pressed": "false", tabindex: hour === 0 ? "0" : "-1",
    "aria-label": `Quiet from ${twoDigits(hour)}:00 to ${twoDigits((hour + 1) % 24)}:00`,
    onclick: (event) => {
      const { currentTarget: pressed } = event;
      pressed.setAttribute("aria-pressed", String(pressed.getAttribute("aria-pressed") !== "true"));
      summarize();
    },
  });
}

// The grid is one tab stop; arrows, Home and End move inside it.
function move(event) {
  const buttons = [...hours.children];
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

const chosen = () => [...hours.children].map((one) => one.getAttribute("aria-pressed") === "true");

// The chosen hours as a sentence: "Quiet from 22:00 to 07:00. It is 14:05 there now."
function summarize() {
  const quiet = chosen();
  const spans = [];
  for (let hour = 0; hour < 24; hour += 1) {
    if (!quiet[hour] || quiet[(hour + 23) % 24]) continue;
    let end = hour;
    while (quiet[end % 24] && end < hour + 24) end += 1;
    spans.push(`${twoDigits(hour)}:00 to ${twoDigits(end % 24)}:00`);
  }
  if (quiet.every(Boolean)) spans.push("00:00 to 24:00");
  let now = "";
  try {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone.input.value.trim(), hour: "2-digit", minute: "2-digit" });
    now = ` It is ${format.format(new Date())} there now.`;
  } catch {
    // The service says what is wrong with the time zone when it is saved.
  }
  summary.textContent = `${spans.length === 0 ? "No hour is quiet." : `Quiet from ${spans.join(" and ")}.`}${now}`;
}

function show(preferences) {
  for (const [name] of TOGGLES) boxes[name].checked = preferences.categories[name];
  zone.input.value = preferences.timezone;
  [...hours.children].forEach((one, hour) => one.setAttribute("aria-pressed", String(preferences.quietHours[hour])));
  zone.showProblem("");
  summarize();
}

function showProblem(error) {
  if (error.status === 401) return;
  const wrong = error.fields?.find(({ field: name }) => name === "timezone");
  zone.showProblem(wrong?.message ?? "");
  if (wrong) zone.input.focus();
  else toast(error.message, { isBad: true });
}

async function save() {
  show(await call("PUT", PATH, {
    timezone: zone.input.value.trim(),
    quietHours: chosen(),
    categories: Object.fromEntries(TOGGLES.map(([name]) => [name, boxes[name].checked])),
  }));
  toast("Saved.");
  byId("preferences-form").querySelector("[type=submit]").focus();
}
