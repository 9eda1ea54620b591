// A form made from a JSON schema: objects of text, numbers, choices, switches, lists and pieces of JSON.

import { field } from "./control.js";
import { element, freshId } from "./element.js";
import { jsonProblem } from "./json_problem.js";

// `schema.properties` in their order; known keywords: type, title, description, enum, minimum, maximum, multipleOf,
// maxLength, pattern, format ("lines", "json", "password"), default, and `required` of the schema.
export function schemaForm(schema, value = {}) {
  const node = element("div", { class: "stack" });
  const required = new Set(schema.required ?? []);
  const parts = Object.entries(schema.properties).map(([name, rule]) => {
    const part = input(name, rule, value[name] ?? rule.default, required.has(name));
    node.append(part.node);
    return [name, part];
  });
  // The value, or null after the problems were shown and the first wrong field was focused.
  function read() {
    const result = {};
    let wrong = null;
    for (const [name, part] of parts) {
      const found = part.read();
      part.showProblem(found.problem);
      if (found.problem) wrong ??= part;
      else if (found.value !== undefined) result[name] = found.value;
    }
    wrong?.input.focus();
    return wrong ? null : result;
  }
  const inputs = Object.fromEntries(parts.map(([name, part]) => [name, part.input]));
  return { node, read, inputs, showProblem: (name, text) => parts.find(([one]) => one === name)?.[1].showProblem(text) };
}

function input(name, rule, value, isRequired) {
  const label = rule.title ?? name;
  if (rule.type === "boolean") return checkbox(label, rule, value);
  const control = rule.enum ? choice(rule, value) : text(rule, value);
  control.name = name;
  if (isRequired) control.required = true;
  const made = field(label, control, { hint: rule.description });
  return { ...made, read: () => check(control.value, rule, isRequired) };
}

function checkbox(label, rule, value) {
  const box = element("input", { type: "checkbox", id: freshId("field") });
  box.checked = Boolean(value);
  const about = rule.description && element("span", { class: "hint" }, element("br"), rule.description);
  const node = element("label", { class: "check" }, box, element("span", {}, label, about));
  return { node, input: box, showProblem: () => {}, read: () => ({ value: box.checked }) };
}

function choice(rule, value) {
  const options = rule.enum.map((one) => element("option", { value: one }, rule.titles?.[one] ?? one));
  const control = element("select", { class: "input" }, ...options);
  if (value !== undefined) control.value = value;
  return control;
}

function text(rule, value) {
  const isLong = rule.format === "json" || rule.format === "lines" || rule.type === "array";
  const shown = rule.format === "json" && value !== undefined ? JSON.stringify(value, null, 2)
    : Array.isArray(value) ? value.join("\n") : value ?? "";
  const isNumber = rule.type === "integer" || rule.type === "number";
  const control = isLong
    ? element("textarea", { class: "input mono", rows: rule.rows ?? 4, spellcheck: "false" })
    : element("input", {
      class: "input", type: rule.format === "password" ? "password" : "text", inputmode: isNumber ? "decimal" : null,
      autocomplete: "off", spellcheck: "false", placeholder: rule.placeholder,
    });
  control.value = shown;
  return control;
}

// The typed text as a value of the rule, or the problem in words.
function check(typed, rule, isRequired) {
  const trimmed = typed.trim();
  if (trimmed === "") return isRequired ? { problem: "Give a value." } : { value: undefined };
  if (rule.type === "integer" || rule.type === "number") return number(trimmed, rule);
  if (rule.format === "json") {
    const wrong = jsonProblem(typed);
    return wrong ? { problem: `This is not JSON. ${wrong.message}` } : { value: JSON.parse(typed) };
  }
  if (rule.type === "array") return { value: trimmed.split("\n").map((one) => one.trim()).filter(Boolean) };
  if (rule.maxLength && trimmed.length > rule.maxLength) return { problem: `Give at most ${rule.maxLength} characters.` };
  if (rule.pattern && !new RegExp(rule.pattern, "u").test(trimmed)) return { problem: rule.patternText ?? "The form is wrong." };
  return { value: trimmed };
}

function number(typed, rule) {
  const value = Number(typed);
  if (!Number.isFinite(value) || (rule.type === "integer" && !Number.isInteger(value))) {
    return { problem: rule.type === "integer" ? "Give a whole number." : "Give a number." };
  }
  if (rule.minimum !== undefined && value < rule.minimum) return { problem: `Give at least ${rule.minimum}.` };
  if (rule.maximum !== undefined && value > rule.maximum) return { problem: `Give at most ${rule.maximum}.` };
  if (rule.multipleOf && value % rule.multipleOf !== 0) return { problem: `Give a multiple of ${rule.multipleOf}.` };
  return { value };
}
