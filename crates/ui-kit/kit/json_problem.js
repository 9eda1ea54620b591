// Where JSON text is wrong, with line, column and the reason in words. The messages of browsers differ, and several name
// no place, so this reads the text itself. It accepts exactly what JSON.parse accepts.

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[\w$+.-]+/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const CLOSING = { "{": "}", "[": "]" };

// { line, column, why, message } of the first mistake, or null if the text is right. Columns count characters.
export function jsonProblem(text) {
  const { at, why } = firstMistake(text) ?? {};
  if (why === undefined) return null;
  const before = text.slice(0, at).split("\n");
  const [line, column] = [before.length, [...before.at(-1)].length + 1];
  return { line, column, why, message: `Line ${line}, column ${column}: ${why}` };
}

// Not recursive: text of any depth is read.
function firstMistake(text) {
  const open = [];
  let at = 0;
  let wanted = "value";
  const match = (rule) => {
    rule.lastIndex = at;
    return rule.exec(text)?.[0];
  };
  const wrong = (why, where = at) => ({ at: where, why });
  for (;;) {
    at += match(SPACE).length;
    const found = text[at];
    const inside = open.at(-1)?.mark;
    if (found === undefined) return atEnd(text, open, wanted, at);
    if (wanted === "end") {
      if (!inside) return wrong("There is more after the end of the JSON.");
      if (found === ",") wanted = inside === "{" ? "name" : "entry";
      else if (found === CLOSING[inside]) open.pop();
      else return wrong(`A comma or ${CLOSING[inside]} is missing before ${shown(text, at)}.`);
      at += 1;
      continue;
    }
    if (wanted === "colon") {
      if (found !== ":") return wrong(`A colon is missing between the name and ${shown(text, at)}.`);
      at += 1;
      wanted = "value";
      continue;
    }
    const isFirst = wanted === "first name" || wanted === "first entry";
    if (found === CLOSING[inside] && isFirst) {
      open.pop();
      at += 1;
      wanted = "end";
      continue;
    }
    if (found === CLOSING[inside] && wanted !== "value") return wrong(`After a comma another ${inside === "{" ? "name" : "value"} must follow; remove the comma or add one.`);
    const isName = wanted === "name" || wanted === "first name";
    if (found === '"') {
      const end = stringEnd(text, at);
      if (end.why) return end;
      at = end.at;
      wanted = isName ? "colon" : "end";
      continue;
    }
    if (found === "'") return wrong("Text is written in double quotes.");
    if (isName) return wrong(`A name in double quotes is missing before ${shown(text, at)}.`);
    if (found === "{" || found === "[") {
      open.push({ mark: found, at });
      at += 1;
      wanted = found === "{" ? "first name" : "first entry";
      continue;
    }
    const word = match(WORD);
    const number = match(NUMBER);
    if (word === undefined) return wrong(`A value is missing before ${shown(text, at)}.`);
    if (word !== number && !["true", "false", "null"].includes(word)) {
      return wrong(/^[+.\d-]/.test(word) ? `${word} is not a number as JSON writes it.` : `${word} is not a value; text is written in double quotes.`);
    }
    at += word.length;
    wanted = "end";
  }
}

// The place after a string, or its mistake.
function stringEnd(text, start) {
  let at = start + 1;
  for (;;) {
    PLAIN.lastIndex = at;
    at += PLAIN.exec(text)[0].length;
    const found = text[at];
    if (found === '"') return { at: at + 1 };
    if (found === undefined || found === "\n" || found === "\r") return { at, why: "The closing quote of this text is missing." };
    if (found !== "\\") return { at, why: `A control character (${found.charCodeAt(0)}) must be written as an escape such as \\t.` };
    ESCAPE.lastIndex = at;
    const escape = ESCAPE.exec(text)?.[0];
    if (!escape) return { at, why: `${text.slice(at, at + 2)} is not an escape; a backslash itself is written twice.` };
    at += escape.length;
  }
}

function atEnd(text, open, wanted, at) {
  const last = open.at(-1);
  if (!last) return wanted === "end" ? null : { at, why: text.trim() === "" ? "Nothing is written here." : "A value is missing." };
  const line = text.slice(0, last.at).split("\n").length;
  return { at, why: `The text ends before the ${CLOSING[last.mark]} of the ${last.mark} in line ${line}.` };
}

// What stands at a place, short enough for a sentence.
function shown(text, at) {
  const piece = /^(?:"[^"\n]*"?|[\w$.+-]+|.)/su.exec(text.slice(at, at + 60))?.[0] ?? "";
  return piece.length > 24 ? `${piece.slice(0, 24)}…` : piece;
}
