import type { Span } from "../types/evidence.js";

/** True if two spans of one text have a character in common. */
export const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;
