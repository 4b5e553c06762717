import type { Jobs } from "./jobs.js";

/** What a process of `apart` is asked, and what it says. Sent as structured clones. */
export interface Request {
  job: keyof Jobs;
  args: readonly unknown[];
}

/** `ready` comes once, before anything is done. A `spent` process is of no more use. */
export type Reply = "ready" | { result: unknown; spent: boolean } | { error: string; spent: boolean };

/** Bytes that a process may hold, whatever for; its heap alone no more than this either. */
export const MOST_MEMORY = 1_000_000_000;
