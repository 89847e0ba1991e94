// Values that JSON has no form for, by name, and some that are too deep to be told as JSON.

const cycle = () => {
  const list = [1];
  list.push(list);
  return list;
};
const hole = () => {
  const list = [1, 2, 3];
  delete list[1];
  return list;
};
/** Arrays in arrays, `depth` of them. */
export const deep = (depth) => {
  let value = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
};
/** Small, and its text has a million million parts. */
const wide = () => {
  let value = 1;
  for (let level = 0; level < 20; level++) value = [value, value, value, value];
  return value;
};

const VALUES = {
  date: () => new Date(0),
  map: () => new Map([["a", 1]]),
  set: () => new Set([1]),
  bigint: () => 1n,
  nan: () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  undefined: () => undefined,
  member: () => ({ a: undefined }),
  inside: () => ({ a: [1, { b: new Date(0) }] }),
  hole,
  cycle,
  wide,
  bytes: () => new Uint8Array([1, 2]),
  buffer: () => new ArrayBuffer(2),
  error: () => new Error("no"),
  regexp: () => /x/,
  boxed: () => Object(1),
  lone: () => "a\ud800b",
  lone_key: () => ({ "\udc00": 1 }),
  function: () => () => {},
  symbol: () => Symbol("s"),
  symbol_key: () => ({ [Symbol("s")]: 1 }),
  instance: () => new (class Point {})(),
  extra: () => Object.assign([1], { name: "x" }),
  bare: () => Object.assign(Object.create(null), { a: 1 }),
  proto: () => JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
  minus_zero: () => -0,
};

/** The value that a parameter of a test means. */
export function value(parameter) {
  if (typeof parameter !== "object" || parameter === null) return parameter;
  if (Array.isArray(parameter)) return parameter.map((part) => value(part));
  if (typeof parameter.$ === "string") return VALUES[parameter.$]();
  if (typeof parameter.$deep === "number") return deep(parameter.$deep);
  if (typeof parameter.$long === "number") return "x".repeat(parameter.$long);
  if (typeof parameter.$many === "number") return Array(parameter.$many).fill(value(parameter.of));
  const parts = Object.entries(parameter).map(([name, part]) => [name, value(part)]);
  return Object.fromEntries(parts);
}
