// Sortable ids: 19 digits of time, in ticks of 100 ns since the year 1, and 11 digits of chance.

const TICKS_AT_1970 = 621_355_968_000_000_000n;

// The time of an id, in milliseconds.
export const timeOf = (id) => Number((BigInt(id.slice(0, 19)) - TICKS_AT_1970) / 10_000n);

// The least id of a time.
export const idAt = (ms) => `${String(BigInt(ms) * 10_000n + TICKS_AT_1970).padStart(19, "0")}${"0".repeat(11)}`;
