import type { StopReason } from "./answer.js";

/** How an answer is labelled: one that is shown as unsure is not one that answers in part. Apart, since the page loads it. */
export const labelOf = <Status>({ status, stopReason }: { status: Status; stopReason?: StopReason | undefined }) =>
  stopReason === "unsure" ? stopReason : status;
