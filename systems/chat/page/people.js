// Who is in the room, and who types.

import { element } from "/_kit/element.js";

// A typing event that is not renewed ends by itself: its sender may be gone.
const TYPING_MS = 6_000;
const COLOURS = 6;

export const shortName = (person) => person?.fullName ?? person?.userName ?? "";

// Initials on a colour that stays the same for a person.
export function face(userName, fullName) {
  const words = (fullName ?? userName).split(/[\s@._-]+/).filter(Boolean);
  const initials = words.slice(0, 2).map((word) => word[0].toUpperCase()).join("");
  let hash = 0;
  for (const char of userName) hash = (hash * 31 + char.codePointAt(0)) % 9973;
  return element("span", { class: `face face-${hash % COLOURS + 1}`, "aria-hidden": "true" }, initials);
}

export function people(me) {
  const present = new Map();
  // Also of those who have left: receipts name them.
  const names = new Map();
  const typing = new Map();
  const list = element("ul", { class: "people", id: "people" });
  const heading = element("h2", { class: "small soft" }, "Here now");
  const side = element("aside", { class: "side", "aria-label": "People in this room" }, heading, list);
  const count = element("span", { class: "soft small truncate", id: "present" });
  const line = element("p", { class: "typing small soft", id: "typing", role: "status" });

  const know = (userName, fullName) => { if (fullName) names.set(userName, fullName); };
  const showPresent = () => {
    for (const { userName, fullName } of present.values()) know(userName, fullName);
    const all = [...present.values()].sort((one, other) => shortName(one).localeCompare(shortName(other)));
    list.replaceChildren(...all.map((person) => element("li", { "data-person": person.userName },
      element("span", { class: "with-dot" }, face(person.userName, person.fullName)),
      element("span", { class: "truncate" }, shortName(person)), person.userName === me && element("span", { class: "soft you" }, "(you)"))));
    const others = all.filter(({ userName }) => userName !== me).map((person) => shortName(person));
    count.textContent = others.length === 0 ? "Nobody else is here" : others.length <= 2 ? `${others.join(" and ")} ${others.length === 1 ? "is" : "are"} here` : `${others.length} others are here`;
  };
  const showTyping = () => {
    const typists = [...typing.keys()].map((userName) => names.get(userName) ?? userName);
    line.textContent = typists.length === 0 ? "" : typists.length > 2 ? "Several people are typing…" : `${typists.join(" and ")} ${typists.length === 1 ? "is" : "are"} typing…`;
  };
  const stopTyping = (userName) => {
    clearTimeout(typing.get(userName));
    if (typing.delete(userName)) showTyping();
  };
  return {
    side, count, line, stopTyping, know,
    snapshot(users) {
      present.clear();
      for (const user of users) present.set(user.userName, user);
      showPresent();
    },
    add(user) { present.set(user.userName, user); showPresent(); },
    remove(userName) {
      stopTyping(userName);
      if (present.delete(userName)) showPresent();
    },
    typing(userName, isTyping) {
      if (userName === me) return;
      stopTyping(userName);
      if (isTyping) typing.set(userName, setTimeout(() => stopTyping(userName), TYPING_MS));
      showTyping();
    },
    clear() {
      present.clear();
      for (const userName of [...typing.keys()]) stopTyping(userName);
      list.replaceChildren();
      count.textContent = "";
    },
    nameOf: (userName) => names.get(userName) ?? userName,
  };
}
