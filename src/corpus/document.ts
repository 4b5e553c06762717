/** A document as it is cut into passages: its text, and what passages carry along. */
export interface SourceDocument {
  /** The path relative to the working directory, absolute when outside of it; always with forward slashes. */
  documentId: string;
  uri: string;
  title: string;
  /** An ISO date, or empty where the document does not say. */
  reviewedAt: string;
  format: "markdown" | "text";
  /** The document's own words without front matter and without invisible characters; line ends are left as they are. */
  text: string;
  /** Changes when the file changes, and when a newer version of this program would read or cut it differently. */
  hash: string;
}
