import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What the files beside the program promise to those who install it or build an image of it. */
const lines = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

test("no image is sent what git is not given, nor git's own folder", () => {
  const kept = lines(".dockerignore").map((line) => line.replace("**/", ""));
  const ignored = lines(".gitignore").map((line) => line.replace(/\/$/, ""));
  expect(kept).toEqual(expect.arrayContaining([...ignored, ".git", ".env", "node_modules", "dist", ".emend"]));
});

test("an image is sent all that its installation builds the program from", () => {
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

test("the lock file has the hash of all that is installed on Linux; of native packages of other systems it need not", () => {
  const lacking = packages.filter(([, { integrity, link }]) => !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
  const here = ({ os = ["linux"], cpu = ["x64"] }: Package) => os.includes("linux") && cpu.includes("x64");
  const needed = lacking.filter(
    ([path, each]) => !each.optional || !(each.os && each.cpu) || (here(each) && !path.endsWith("-musl")),
  );
  expect(needed.map(([path]) => path)).toEqual([]);
  // Those the lock file was made without; a further one is a mistake.
  expect(lacking.length).toBeLessThanOrEqual(28);
});
