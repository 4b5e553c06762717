import { createHash } from "node:crypto";

/** Returns a digest of bytes, or of the JSON of anything else. */
export const digestOf = (given: unknown): string =>
  createHash("sha256")
    .update(given instanceof Uint8Array ? given : (JSON.stringify(given) ?? ""))
    .digest("hex");
