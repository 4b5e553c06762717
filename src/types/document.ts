import type { Metadata } from "./metadata.js";

/** A document to cut into passages. */
export interface SourceDocument {
  /** The path relative to the working directory, or absolute if outside; always with forward slashes. */
  documentId: string;
  uri: string;
  title: string;
  /** An ISO date; empty if unknown. */
  reviewedAt: string;
  format: "markdown" | "text";
  /** Without front matter and invisible characters. Line ends are unchanged. */
  text: string;
  /** The pages or times of the text, in order, each with the offset at which it begins. No passage holds two of them. */
  places?: readonly { start: number; name: string }[];
  /** What it states about itself, made by `metadataOf`. */
  metadata?: Metadata;
  /** Changes with the content, and with the version of the code that reads and cuts it. */
  hash: string;
}
