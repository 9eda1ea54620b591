// Completion for queries: keywords, functions, and the properties that were seen in items.

import { KEYWORDS } from "/_kit/highlight.js";

const FUNCTIONS = "ABS ACOS AGO ARRAY_AVG ARRAY_CONCAT ARRAY_CONTAINS ARRAY_CONTAINS_ALL ARRAY_CONTAINS_ANY ARRAY_LENGTH ARRAY_MAX ARRAY_MEDIAN ARRAY_MIN ARRAY_SLICE ARRAY_SUM ASIN ATAN ATN2 AVG CEILING CHOOSE CONCAT CONTAINS CONTAINS_ALL_CI CONTAINS_ALL_CS CONTAINS_ANY_CI CONTAINS_ANY_CS COS COT COUNT COUNTIF DATETIMEADD DATETIMEBIN DATETIMEDIFF DATETIMEFORMAT DATETIMEFROMPARTS DATETIMEPART DATETIMETOTICKS DATETIMETOTIMESTAMP DAY DEGREES DOCUMENTID ENDSWITH EXP FLOOR FULLTEXTCONTAINS FULLTEXTCONTAINSALL FULLTEXTCONTAINSANY FULLTEXTSCORE GETCURRENTDATETIME GETCURRENTDATETIMESTATIC GETCURRENTTICKS GETCURRENTTICKSSTATIC GETCURRENTTIMESTAMP GETCURRENTTIMESTAMPSTATIC HASH IIF INDEX_OF INTADD INTBITAND INTBITLEFTSHIFT INTBITNOT INTBITOR INTBITRIGHTSHIFT INTBITXOR INTDIV INTMOD INTMUL INTSUB IS_ARRAY IS_BOOL IS_DATETIME IS_DEFINED IS_FINITE_NUMBER IS_INTEGER IS_NULL IS_NUMBER IS_OBJECT IS_PRIMITIVE IS_STRING LASTINDEXOF LASTSUBSTRINGAFTER LASTSUBSTRINGBEFORE LEFT LENGTH LOG LOG10 LOWER LTRIM MAKELIST MAKESET MAX MIN MONTH NOW NUMBERBIN OBJECTTOARRAY POWER RADIANS RAND REGEXEXTRACT REGEXEXTRACTALL REGEXMATCH REPLACE REPLICATE REVERSE RIGHT ROUND RRF RTRIM SETDIFFERENCE SETEQUAL SETINTERSECT SETUNION SIGN SIN SQRT SQUARE STARTSWITH STRINGEQUALS STRINGJOIN STRINGSPLIT STRINGTOARRAY STRINGTOBOOLEAN STRINGTONULL STRINGTONUMBER STRINGTOOBJECT ST_AREA ST_DISTANCE ST_INTERSECTS ST_ISVALID ST_ISVALIDDETAILED ST_WITHIN SUBSTRING SUBSTRINGAFTER SUBSTRINGBEFORE SUM TAN TICKSTODATETIME TIMESTAMPTODATETIME TOSTRING TRIM TRUNC UPPER VECTORDISTANCE YEAR".split(" ");
const seen = new Map();

// Notes the properties of items of a container, also nested ones.
export function learn(place, items) {
  const name = `${place.database}/${place.container}`;
  const known = seen.get(name) ?? new Set();
  const walk = (value, path, depth) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || depth > 3) return;
    for (const [key, inner] of Object.entries(value)) {
      if (!/^[A-Za-z_]\w*$/.test(key)) continue;
      known.add(path ? `${path}.${key}` : key);
      walk(inner, path ? `${path}.${key}` : key, depth + 1);
    }
  };
  for (const item of items.slice(0, 50)) walk(item, "", 0);
  seen.set(name, known);
}

// The completions of the word before the caret.
export function suggestFor(place) {
  return (before) => {
    if (/'[^'\n]*$|--[^\n]*$/.test(before.replaceAll(/'[^'\n]*'/g, ""))) return null;
    const path = /\b[A-Za-z_]\w*\.((?:\w+\.)*\w*)$/.exec(before);
    const properties = [...(seen.get(`${place.database}/${place.container}`) ?? [])];
    if (path) {
      const start = path[1].toLowerCase();
      return { word: path[1], options: properties.filter((one) => one.toLowerCase().startsWith(start)).sort().map((text) => ({ text, about: "property" })) };
    }
    const word = /\w*$/.exec(before)[0];
    if (!word) return { word, options: [] };
    const fits = (text) => text.toLowerCase().startsWith(word.toLowerCase());
    return { word, options: [
      ...KEYWORDS.filter(fits).map((text) => ({ text, about: "keyword" })),
      ...FUNCTIONS.filter(fits).map((text) => ({ text: `${text}(`, about: "function" }))] };
  };
}
