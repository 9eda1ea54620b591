// Creates elements. Text is always set as text, so no part of a notification is ever parsed as markup.

export function element(tag, properties = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) created.addEventListener(name.slice(2), value);
    else if (name === "class") created.className = value;
    else created.setAttribute(name, value);
  }
  created.append(...children);
  return created;
}

export const byId = (id) => document.getElementById(id);

// Announces a text in the live region. It is cleared first, so that the same text is announced again.
export function announce(text) {
  const region = byId("said");
  region.textContent = "";
  region.textContent = text;
  byId("failed").textContent = "";
}

// The end of a session is not shown here: the sign-in form shows it.
export function showError(error) {
  if (error.status === 401) return;
  byId("failed").textContent = error.message;
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function time(text) {
  return element("time", { datetime: text }, format.format(new Date(text)));
}
