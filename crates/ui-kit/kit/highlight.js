// Tokens of JSON and of the query language, coloured text made of them, and JSON laid out without touching its numbers.

import { element } from "./element.js";

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|[{}[\],:]|\s+|[^\s{}[\],:"]+/g;
const SQL_TOKEN = /--[^\n]*|'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|@[A-Za-z_]\w*|\d[\d.eE]*|[A-Za-z_]\w*|\s+|./g;
export const KEYWORDS = ["SELECT", "DISTINCT", "TOP", "VALUE", "AS", "FROM", "IN", "JOIN", "WHERE", "AND", "OR", "NOT", "BETWEEN", "LIKE",
  "ESCAPE", "EXISTS", "ARRAY", "ORDER BY", "GROUP BY", "ASC", "DESC", "OFFSET", "LIMIT", "RANK", "true", "false", "null", "undefined"];
const WORDS = new Set([...KEYWORDS.flatMap((word) => word.split(" ")), "BY"].map((word) => word.toUpperCase()));

export function jsonTokens(text) {
  const tokens = [];
  for (const [piece] of text.matchAll(JSON_TOKEN)) {
    let kind = "";
    if (piece[0] === '"') kind = "string";
    else if (/^-?\d/.test(piece)) kind = "number";
    else if (/^(true|false|null)$/.test(piece)) kind = "word";
    tokens.push({ kind, text: piece });
  }
  // A string before a colon is a name.
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at].kind !== "string") continue;
    let next = at + 1;
    while (next < tokens.length && /^\s+$/.test(tokens[next].text)) next += 1;
    if (tokens[next]?.text === ":") tokens[at].kind = "key";
  }
  return tokens;
}

export function sqlTokens(text) {
  return [...text.matchAll(SQL_TOKEN)].map(([piece], at, all) => {
    if (piece.startsWith("--")) return { kind: "comment", text: piece };
    if (/^['"]/.test(piece)) return { kind: "string", text: piece };
    if (/^\d/.test(piece)) return { kind: "number", text: piece };
    if (piece[0] === "@") return { kind: "key", text: piece };
    if (/^[A-Za-z_]/.test(piece)) {
      if (WORDS.has(piece.toUpperCase())) return { kind: "word", text: piece };
      if (all[at + 1]?.[0] === "(") return { kind: "function", text: piece };
    }
    return { kind: "", text: piece };
  });
}

// Lines of coloured text; `wrongLine` counts from 1.
export function colouredLines(text, language, wrongLine = 0) {
  const tokens = language === "json" ? jsonTokens(text) : language === "sql" ? sqlTokens(text) : [{ kind: "", text }];
  const lines = [element("span", { class: "line" })];
  for (const { kind, text: piece } of tokens) {
    piece.split("\n").forEach((part, at) => {
      if (at > 0) lines.push(element("span", { class: "line" }));
      if (part) lines.at(-1).append(kind ? element("span", { class: `t-${kind}` }, part) : part);
    });
  }
  lines[wrongLine - 1]?.classList.add("wrong");
  return lines;
}

// A block of coloured code that is only read.
export function codeBlock(text, language, { label = "Code", isWrapped = false } = {}) {
  const node = element("div", { class: `code${isWrapped ? " wrap" : ""}`, tabindex: "0", role: "region", "aria-label": label });
  const tokens = language === "json" ? jsonTokens(text) : sqlTokens(text);
  node.append(...tokens.map(({ kind, text: piece }) => (kind ? element("span", { class: `t-${kind}` }, piece) : piece)));
  return node;
}

// JSON text with line breaks and two spaces per level. Works on tokens: numbers stay as they are written, whereas
// parsing would round those beyond 2^53.
export function layOutJson(text) {
  let out = "";
  let depth = 0;
  const tokens = jsonTokens(text).filter(({ text: piece }) => !/^\s+$/.test(piece));
  const breakLine = () => { out += `\n${"  ".repeat(depth)}`; };
  tokens.forEach(({ text: piece }, at) => {
    const before = tokens[at - 1]?.text;
    if (piece === "}" || piece === "]") {
      depth = Math.max(0, depth - 1);
      if (before !== "{" && before !== "[") breakLine();
    } else if (before === "{" || before === "[" || before === ",") {
      breakLine();
    }
    out += piece === ":" ? ": " : piece;
    if (piece === "{" || piece === "[") depth += 1;
  });
  return out;
}
