import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Returns the seconds that work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Returns the bytes of all files in a folder. */
export async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

export const say = (line: string) => process.stdout.write(`${line}\n`);
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;
export const memory = () => megabytes(process.memoryUsage.rss());
