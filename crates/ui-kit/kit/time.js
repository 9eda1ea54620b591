// Relative times, with the exact one on hover; they stay true while the page is open.

import { element } from "./element.js";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS = [[60, "second", 1], [3_600, "minute", 60], [86_400, "hour", 3_600], [604_800, "day", 86_400],
  [2_629_800, "week", 604_800], [31_557_600, "month", 2_629_800], [Infinity, "year", 31_557_600]];

export function relativeText(time, now = Date.now()) {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 10) return "now";
  const [, unit, length] = STEPS.find(([limit]) => distance < limit);
  return relative.format(Math.trunc(seconds / length), unit);
}

export const exactText = (time) => exact.format(new Date(time));

// A <time> that says "5 minutes ago".
export function timeAgo(time) {
  const date = new Date(time);
  return element("time", { datetime: date.toISOString(), title: exactText(date), "data-relative": "" }, relativeText(date));
}

// "Today", "Yesterday", or the day with its name.
export function dayText(time, now = new Date()) {
  const start = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const date = new Date(time);
  const days = Math.round((start(now) - start(date)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return dayName.format(date);
}

setInterval(() => {
  for (const node of document.querySelectorAll("time[data-relative]")) {
    const text = relativeText(node.dateTime);
    if (node.textContent !== text) node.textContent = text;
  }
}, 20_000);
