import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Promises of the repository's files to those who install the program or build an image of it. */
const lines = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

test("the build context of an image has no ignored file and no .git folder", () => {
  const kept = lines(".dockerignore").map((line) => line.replace("**/", ""));
  const ignored = lines(".gitignore").map((line) => line.replace(/\/$/, ""));
  expect(kept).toEqual(expect.arrayContaining([...ignored, ".git", ".env", "node_modules", "dist", ".emend"]));
});

test("the build context of an image has every file that the build needs", () => {
  const needed = [
    "package.json",
    "package-lock.json",
    ".npmrc",
    "tsconfig.json",
    "tsconfig.build.json",
    "langgraph.json",
    "src",
  ];
  const left = lines(".dockerignore").map((line) => line.replace("**/", "").replaceAll("*", ""));
  expect(needed.filter((path) => left.some((each) => path.startsWith(each)))).toEqual([]);
});

interface Package {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
}

const lock: { packages: Record<string, Package> } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const packages = Object.entries(lock.packages).filter(([path]) => path !== "");

test("the lock file names no registry", () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  expect(readFileSync("package-lock.json", "utf8")).not.toMatch(/"resolved"|registry\./);
});

test("the lock file has a hash of every package that is installed on Linux", () => {
  const lacking = packages.filter(([, { integrity, link }]) => !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
  const here = ({ os = ["linux"], cpu = ["x64"] }: Package) => os.includes("linux") && cpu.includes("x64");
  const needed = lacking.filter(
    ([path, each]) => !each.optional || !(each.os && each.cpu) || (here(each) && !path.endsWith("-musl")),
  );
  expect(needed.map(([path]) => path)).toEqual([]);
  // Native packages of other systems without a hash; another one would be a mistake.
  expect(lacking.length).toBeLessThanOrEqual(28);
});
