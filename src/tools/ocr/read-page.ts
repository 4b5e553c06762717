/** A word that was read, where it is on the upright page. */
export interface ReadWord {
  text: string;
  /** Its left edge, the middle of its letters, and their size, in pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** How sure its least certain character is, 0 to 1. */
  confidence: number;
}

/** What was read on a picture. */
export interface ReadPage {
  /** The size of the upright page, in pixels. */
  width: number;
  height: number;
  /** Its lines, each with its words from left to right. */
  lines: ReadWord[][];
}

/** How sure the letters are on average, 0 to 1; 0 if there are none. */
export function certaintyOf(lines: readonly (readonly ReadWord[])[]): number {
  const words = lines.flat();
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters;
}
