import type { Evidence } from "../types/evidence.js";

/**
 * Writes the title and the headings above a text as the line under which the encoder reads it, each heading once. A dash
 * joins them: with " › ", the encoder finds fewer answers, and more that are wrong (research/RESULTS.md, "The parts").
 */
export const headLine = (
  { title, section }: Pick<Evidence, "title" | "section">,
  headings: readonly string[] = [],
): string => [...new Set([title, ...section.split(" › "), ...headings])].filter((part) => part !== "").join(" - ");
