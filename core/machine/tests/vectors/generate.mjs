// Writes numbers.json and values.json: what a JavaScript engine makes of JSON texts.
// Run `node core/machine/tests/vectors/generate.mjs`; the same seed gives the same files.
import { writeFileSync } from "node:fs";

let state = 0x9e3779b9;
const next = () => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
};
const below = (n) => next() % n;
const pick = (list) => list[below(list.length)];
const write = (name, rows) =>
  writeFileSync(new URL(name, import.meta.url), `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);

// Numbers: [text, what JSON.stringify gives, or null where the wire refuses it].
const texts = `0 -0 0.0 -0.0 0e0 -0e-5 1 -1 1.0 10.50 1e0 1E5 1e+5 1e-5 123e-2 100e-2 0.1 0.2 0.3 1.1
  1e20 1e21 1e22 -1e21 123456789012345680000 1e15 1e16 999999999999999 9999999999999999 1e-6 1e-7 1.5e-6 1.5e-7 0.000001
  0.0000001 0.00000123 5e-324 4.9e-324 2.4703282292062327e-324 2.4703282292062328e-324 2.2250738585072014e-308
  2.2250738585072011e-308 2.225073858507201e-308 1e-323 1e-400 -1e-400 1e308 1e309 -1e309 1e400 1.7976931348623157e308
  9007199254740991 -9007199254740991 9007199254740991.0 9007199254740990.9 9007199254740991.4 9007199254740991.49
  9007199254740991.5 9007199254740991.6 9007199254740992 9007199254740992.0 -9007199254740992 9007199254740993
  9007199254740991e0 90071992547409.91e2 0.9007199254740991e16 9.007199254740992e15 9223372036854775807 18446744073709551616
  4503599627370495.5 4503599627370496.5 4503599627370497.5 2251799813685248.25 2251799813685248.75 0.30000000000000004
  0.299999999999999988897769753748 1.00000000000000011102230246251565404236316680908203125
  1.00000000000000011102230246251565404236316680908203124 1.00000000000000011102230246251565404236316680908203126
  1.00000000000000033306690738754696212708950042724609375 5.0000000000000005e-7 100000000000000.1 999999999999999.9
  999999999999999.99999 123456789012345.678 12345678901234567e-5 0.000000000000000000000000000001 1e-00000000000000000007
  1e+0000000000000000000005 0.00000000000000000000000000000000000000000000000000000000000000000001e68`.split(/\s+/);
texts.push(`1${"0".repeat(400)}`, `1${"0".repeat(400)}e-400`, `0.${"0".repeat(400)}1`, `0.${"0".repeat(400)}1e401`);
texts.push(`${"9".repeat(15)}.${"9".repeat(300)}`, `0.1${"0".repeat(300)}1`, `-0.${"3".repeat(800)}`);
const bits = new DataView(new ArrayBuffer(8));
for (let round = 0; round < 700; round++) {
  const exponent = round % 7 === 0 ? below(3) : round % 2 === 0 ? below(2047) : 960 + below(116);
  bits.setUint32(0, ((below(2) << 31) | (exponent << 20) | below(1 << 20)) >>> 0);
  bits.setUint32(4, below(4) === 0 ? 0 : next());
  const number = bits.getFloat64(0);
  texts.push(`${number}`, pick([() => number.toPrecision(17), () => number.toExponential(20), () => number.toExponential(15)])());
  texts.push(`${(number / 2 ** (exponent - 1023)) * 10 ** below(16)}`);
}
write("numbers.json", texts.map((text) => {
  const number = JSON.parse(text);
  return [text, Math.abs(number) < 2 ** 53 ? JSON.stringify(number) : null];
}));

// Values: [text, JSON.stringify(JSON.parse(text)), the same with keys inserted in sorted order].
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const copy = Object.create(null);
  for (const key of Object.keys(value).sort()) copy[key] = sorted(value[key]);
  return copy;
};
const keys = ["", "a", "b", "aa", "A", "0", "00", "1", "01", "9", "10", "-1", "1.5", "1e3", "4294967294", "4294967295", "4294967296",
  "99999999999", "é", "e\u0301", "\ud7ff", "\ue000", "\uffff", "\ufffd", "😀", "😁", "\u{10ffff}", "\u{10000}", "a\ue000", "a😀", " ", "\n",
  "\u0000", "\u001f", "\u007f", "\"", "\\", "/", "a\"b", "a\\b", "a\nb", "a!b", "__proto__", "toString", "constructor", "\u2028", "名", "<>"];
const space = () => pick(["", "", "", " ", "\n", "\t \r\n"]);
const string = (text) => {
  let out = "";
  for (const unit of text.split("")) {
    const code = unit.charCodeAt(0);
    const hex = `\\u${code.toString(16).padStart(4, "0")}`;
    const plain = JSON.stringify(unit).slice(1, -1);
    const surrogate = code >= 0xd800 && code < 0xe000;
    if (surrogate) out += unit;
    else out += pick([plain, plain, hex, hex.toUpperCase().replace("\\U", "\\u"), unit === "/" ? "\\/" : plain]);
  }
  if (below(2) === 0) out = out.replace(/[\ud800-\udbff][\udc00-\udfff]/g, (pair) =>
    `\\u${pair.charCodeAt(0).toString(16)}\\u${pair.charCodeAt(1).toString(16)}`);
  return `"${out}"`;
};
const value = (depth) => {
  const kind = depth === 0 ? 5 + below(4) : below(depth > 4 ? 5 : 9);
  if (kind < 2) return pick(["null", "true", "false", "0", "-0", "1.0", "1e2", "-12.50", "1e-7", "123456789012", "0.1e1"]);
  if (kind < 5) return string(pick(keys) + pick(keys));
  const items = Array.from({ length: below(pick([3, 6, 6, 30])) }, () => {
    const item = `${space()}${value(depth + 1)}${space()}`;
    return kind < 6 ? item : `${space()}${string(pick(keys))}${space()}:${item}`;
  });
  return kind < 6 ? `[${space()}${items.join(",")}]` : `{${space()}${items.join(",")}}`;
};
const rows = [];
const add = (text) => {
  const parsed = JSON.parse(text);
  rows.push([text, JSON.stringify(parsed), JSON.stringify(sorted(parsed))]);
};
add(`{${[...keys].reverse().map((key, index) => `${JSON.stringify(key)}:${index}`).join(",")}}`);
while (rows.length < 300) {
  const text = value(below(3));
  if (text.length < 1200) add(space() + text + space());
}
write("values.json", rows);
