// Judges what was seen against what must be seen.
//
// Owns the meaning of `see`; knows nothing of the library but the shape of its errors.
import { isDeepStrictEqual } from "node:util";

export class Unsupported extends Error {}
export class Unseen extends Error {}

const shown = (value) => JSON.stringify(value)?.slice(0, 300);

export function checkFailure(step, see, error) {
  const status = typeof error.code === "number" ? error.code : error.statusCode;
  const said = String(error.body?.message ?? error.message ?? error).slice(0, 300);
  const wanted = see.fails;
  if (typeof status !== "number") {
    if (wanted) throw new Unsupported(`this library refuses it before asking: ${said}`);
    throw new Unseen(`${step.do} failed: ${error.code ?? ""} ${said}`);
  }
  if (!wanted) throw new Unseen(`${step.do} failed: ${status}/${error.substatus} ${said}`);
  if (status !== wanted.status) throw new Unseen(`${step.do} failed with ${status}, not ${wanted.status}: ${said}`);
  const substatus = Number(error.substatus ?? error.headers?.["x-ms-substatus"]);
  if (wanted.substatus !== undefined && substatus !== wanted.substatus) {
    throw new Unseen(`${step.do} failed with sub-status ${substatus}, not ${wanted.substatus}`);
  }
  if (wanted.message !== undefined && !said.includes(wanted.message)) {
    throw new Unseen(`${step.do} failed with ${said}, not ${wanted.message}`);
  }
}

function plain(row) {
  if (row === null || typeof row !== "object" || Array.isArray(row)) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("_")));
}

function covers(found, wanted) {
  if (wanted === null || typeof wanted !== "object" || Array.isArray(wanted)) return isDeepStrictEqual(found, wanted);
  if (found === null || typeof found !== "object") return false;
  return Object.keys(wanted).every((name) => name in found && covers(found[name], wanted[name]));
}

const sorted = (value) =>
  value === null || typeof value !== "object" || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
const asSet = (rows) => rows.map((row) => JSON.stringify(sorted(plain(row)))).sort();

export function check(verb, see, seen) {
  const { value, rows, headers = {} } = seen;
  const demand = (holds, text) => {
    if (!holds) throw new Unseen(`${verb}: ${text}`);
  };
  demand(!see.status || seen.status === undefined || seen.status === see.status, `saw status ${seen.status}`);
  demand(covers(value ?? {}, see.body ?? {}), `saw ${shown(value)}, wanted ${shown(see.body)}`);
  const objects = [value, ...(rows ?? [])].filter((found) => found !== null && typeof found === "object");
  demand(!(see.absent ?? []).some((name) => objects.some((found) => name in found)), `saw one of ${see.absent}`);
  demand(!see.empty || !value, `saw content ${shown(value)}`);
  demand(!see.unchanged || seen.status === 304, `saw status ${seen.status}`);
  for (const name of ["throughput", "autoscale", "consistency"]) {
    demand(!(name in see) || value[name] === see[name], `saw ${name} ${shown(value)}, wanted ${see[name]}`);
  }
  demand(!see.charge || Number(headers["x-ms-request-charge"]) > 0, "saw no charge");
  demand(!see.etag || headers.etag || value?._etag, "saw no etag");
  demand(!see.session || headers["x-ms-session-token"], "saw no session token");
  demand(!see.query_metrics || headers["x-ms-documentdb-query-metrics"], "saw no query metrics");
  demand(!see.index_metrics || headers["x-ms-cosmos-index-utilization"], "saw no index metrics");
  if (see.rows) demand(isDeepStrictEqual(rows.map(plain), see.rows), `saw ${shown(rows)}, wanted ${shown(see.rows)}`);
  if (see.set) demand(isDeepStrictEqual(asSet(rows), asSet(see.set)), `saw ${shown(rows)}, wanted ${shown(see.set)}`);
  if (see.has) {
    const fits = rows.length === see.has.length && see.has.every((want, index) => covers(rows[index], want));
    demand(fits, `saw ${shown(rows)}, wanted ${shown(see.has)}`);
  }
  if (see.includes) demand(rows.some((row) => row.id === see.includes), `${see.includes} is not listed`);
  demand(!("count" in see) || rows.length === see.count, `saw ${rows?.length} rows, wanted ${see.count}`);
  demand(!see.pages_min || seen.pages >= see.pages_min, `saw ${seen.pages} pages`);
  demand(!see.results || isDeepStrictEqual(seen.results, see.results), `saw ${seen.results}, wanted ${see.results}`);
}
