/** Words as they stand on a page, found in a PDF or recognised in a picture (OCR). Lengths are in points (1/72 inch). */
export interface Page {
  width: number;
  height: number;
  /** In any order, upright. */
  words: readonly Word[];
  /** Drawn lines and edges, such as the borders of tables. Default: none. */
  rules?: readonly Rule[];
  /** Default: none. */
  comments?: readonly Comment[];
  /** Words in another direction, such as those of a margin: for each direction the page, turned until they are upright. */
  turned?: readonly Page[];
  /** By how many degrees, clockwise, its words run on the page as it is shown. Default: 0. */
  degrees?: number;
}

/** Text without a wide gap, on one line: a word, or all words of a line where they are not known one by one. */
export interface Word {
  text: string;
  /** Left edge, from the left of the page. */
  x: number;
  /** Top edge, from the top of the page. */
  y: number;
  width: number;
  /** The size of its letters, as of a font: the baseline lies at four fifths. Equal for the words of a measured line. */
  height: number;
  /** Default: false. */
  isBold?: boolean;
  /** Where it is shown, if it was moved to the words that name it, as the value of a form field is. */
  shownAt?: Rule;
}

/** A horizontal or vertical line from one end to the other, with x1 <= x2 and y1 <= y2. */
export interface Rule {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** A reader's comment, and where on the page it stands. */
export interface Comment {
  x: number;
  y: number;
  /** Empty if unknown. */
  author: string;
  text: string;
}
