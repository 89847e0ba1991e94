"use strict";
// `pack.js FOLDER`: two tarballs, the package and, for this platform, the one that brings its addon. Both together
// install anywhere on the same platform, without Rust.

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { ROOT, built, libc, prebuilt, target } = require("../lib/platform.js");

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: pack.js FOLDER");
  process.exit(2);
}
fs.mkdirSync(folder, { recursive: true });
for (const old of fs.readdirSync(folder)) {
  if (old.endsWith(".tgz")) fs.rmSync(path.join(folder, old));
}
const arguments_ = process.argv.includes("--debug") ? ["--debug"] : [];
execFileSync(process.execPath, [path.join(__dirname, "install.js"), "--force", ...arguments_], {
  stdio: "inherit",
});
const cargo = process.env.CARGO ?? "cargo";
execFileSync(cargo, ["run", "--quiet", "--locked", "-p", "xtask", "--", "cloudflare"], {
  cwd: path.join(ROOT, ".."),
  stdio: "inherit",
});

const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8"));
const { version, license, engines } = manifest;
const stage = fs.mkdtempSync(path.join(os.tmpdir(), "posthouse-pack-"));
const name = prebuilt(target());
const licences = ["LICENSE-APACHE", "LICENSE-MIT"].map((file) => path.join(ROOT, "..", file));

function write(package_, fields, files) {
  const place = path.join(stage, package_);
  fs.mkdirSync(place, { recursive: true });
  for (const [from, to] of files) fs.cpSync(from, path.join(place, to), { recursive: true });
  for (const licence of licences) fs.copyFileSync(licence, path.join(place, path.basename(licence)));
  fs.writeFileSync(path.join(place, "package.json"), `${JSON.stringify(fields, undefined, 2)}\n`);
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", path.resolve(folder)], {
    cwd: place,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

try {
  // What is packed has nothing to build, and nothing runs when it is installed.
  const { scripts: _, ...fields } = manifest;
  const files = [...manifest.files, ...licences.map((file) => path.basename(file))];
  write(
    manifest.name,
    {
      ...fields,
      files: files.filter((file) => !file.startsWith("scripts")),
      optionalDependencies: { [name]: version },
    },
    [
      [path.join(ROOT, "lib"), "lib"],
      [path.join(ROOT, "cloudflare"), "cloudflare"],
      [path.join(ROOT, "README.md"), "README.md"],
    ],
  );
  const system = process.platform === "linux" ? { libc: [libc() === "musl" ? "musl" : "glibc"] } : {};
  const description = `The compiled half of posthouse for ${target()}`;
  const platform = { os: [process.platform], cpu: [process.arch], ...system };
  write(name, { name, version, description, license, main: "posthouse.node", engines, ...platform }, [
    [built(), "posthouse.node"],
  ]);
} finally {
  fs.rmSync(stage, { recursive: true });
}
