import { readFileSync } from "node:fs";

/** Reads the version in package.json, which is beside `src` in a checkout and beside `dist` in the package. */
export function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
