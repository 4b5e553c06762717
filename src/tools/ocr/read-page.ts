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
  /** Its lines, each with its words from left to right, where they would be if the lines were level. */
  lines: ReadWord[][];
  /** By how much its lines slope down, in radians: their words were turned by that around the middle. Default: 0. */
  slope?: number | undefined;
  /** By how many quarters the page was turned clockwise to be upright. Default: 0. */
  quarters?: number | undefined;
}

/** How sure the letters are on average, 0 to 1; 0 if there are none. */
export function certaintyOf(lines: readonly (readonly ReadWord[])[]): number {
  const words = lines.flat();
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters;
}

/** Moves a word as if its page were turned clockwise around the middle. */
export function turnedAbout(
  { width, height }: Pick<ReadPage, "width" | "height">,
  word: ReadWord,
  radians: number,
): ReadWord {
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const [dx, dy] = [word.x + word.width / 2 - width / 2, word.y - height / 2];
  return { ...word, x: width / 2 + dx * cos - dy * sin - word.width / 2, y: height / 2 + dx * sin + dy * cos };
}
