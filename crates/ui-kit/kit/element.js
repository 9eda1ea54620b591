// Creates elements. Text is always set as text, so no data is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(created, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) created.addEventListener(name.slice(2), value);
    else if (name === "class") created.setAttribute("class", value);
    else created.setAttribute(name, value === true ? "" : value);
  }
  created.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return created;
}

export const element = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const shape = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);
export const byId = (id) => document.getElementById(id);

let ids = 0;
// An id that no other element has.
export const freshId = (word = "e") => `${word}-${(ids += 1)}`;

// Calls `action` once after `ms` without another call.
export function later(action, ms) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), ms);
  };
}

const groups = new Intl.NumberFormat("en");
const fewDigits = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
export const integerText = (value) => groups.format(value);
export const numberText = (value) => fewDigits.format(value);

// Bytes as people read them: powers of 1,024 with the unit.
export function bytesText(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit]}`;
}
