// Makes elements. Text is always text: nothing of a notification is ever read as markup.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

// Says something in the live region; the same words twice are said twice.
export function say(text) {
  const said = byId("said");
  said.textContent = "";
  said.textContent = text;
  byId("failed").textContent = "";
}

// A session that ended is told by the form that begins the next one.
export function tell(error) {
  if (error.status === 401) return;
  byId("failed").textContent = error.message;
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function time(text) {
  return element("time", { datetime: text }, format.format(new Date(text)));
}
