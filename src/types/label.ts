import type { Answer } from "./answer.js";

/** An answer as it is kept. */
interface Kept {
  status: Answer["status"];
  stopReason?: Answer["stopReason"] | undefined;
}

/**
 * The status of an answer that may be kept from before `unsure` was one: it was `partial`, and its stop reason said so.
 * Apart, since the page loads it.
 */
export const labelOf = ({ status, stopReason }: Kept) => (stopReason === "unsure" ? stopReason : status);
