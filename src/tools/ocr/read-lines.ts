import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openTensorNetwork, type TensorNetwork } from "../encoder/runtime.js";
import { type Box, boxesIn } from "./boxes.js";
import { cutOut, type Pixels, resized, turned } from "./pixels.js";
import { certaintyOf, type ReadPage, type ReadWord, turnedAbout } from "./read-page.js";

/**
 * Opens the two networks of PP-OCRv6 (model/ocr): one finds lines of text, the other reads a line.
 * @param threads for each network.
 */
export async function openReader(threads: number): Promise<(page: Pixels) => Promise<ReadPage>> {
  const open = (file: URL) => openTensorNetwork(fileURLToPath(file), threads);
  const [find, read, characters] = await Promise.all([open(FIND), open(READ), readFile(CHARACTERS, "utf8")]);
  // 0 stands for no character; a space is the last one.
  const alphabet = ["", ...characters.split("\n"), " "];

  function run(network: TensorNetwork, { width, height, data }: Pixels, least = width): ReturnType<TensorNetwork> {
    const across = Math.max(width, least);
    const values = new Float32Array(3 * across * height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) values[y * across + x] = (data[y * width + x] ?? 255) / 127.5 - 1;
    const plane = across * height;
    values.copyWithin(plane, 0, plane);
    values.copyWithin(2 * plane, 0, plane);
    return network(values, [1, 3, height, across]);
  }

  async function linesOn(page: Pixels, area: number): Promise<Box[]> {
    const scale = Math.min(2, Math.sqrt(area / (page.width * page.height)));
    const [width, height] = [page.width, page.height].map((side) => Math.max(32, Math.round((side * scale) / 32) * 32));
    if (!width || !height) return [];
    const map = await run(find, await resized(page, width, height));
    const [across, down] = [page.width / width, page.height / height];
    return boxesIn(map.data as Float32Array, width, height).map(({ x, y, ...box }) => ({
      x: x * across,
      y: y * down,
      width: box.width * across,
      height: box.height * down,
      angle: box.angle,
    }));
  }

  /** Letters that are narrow for the network are more certain when they are stretched. */
  async function readLine(page: Pixels, box: Box): Promise<ReadWord[]> {
    const words = await readStretched(page, box, 1);
    if (certaintyOf([words]) >= GOOD) return words;
    const again = await readStretched(page, box, STRETCH);
    return certaintyOf([again]) > certaintyOf([words]) ? again : words;
  }

  async function readStretched(page: Pixels, box: Box, stretch: number): Promise<ReadWord[]> {
    const line = cutOut(page, box, LINE_HEIGHT, stretch);
    if (line.width > LONGEST_LINE) return [];
    const { data, dims } = await run(read, line, NARROWEST);
    const [, steps = 0, classes = 0] = dims;
    const ink = inkIn(line);
    const below = (ink.middle - 0.5) * box.height;
    return wordsIn(data as Float32Array, steps, classes, alphabet).map(({ text, confidence, from, to }) => {
      // The part of the box that the steps of the word stand for.
      const share = Math.max(line.width, NARROWEST) / (steps * line.width);
      const [start, end] = [Math.min(1, from * share), Math.min(1, to * share)];
      const middle = ((start + end) / 2 - 0.5) * box.width;
      const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)];
      const width = (end - start) * box.width;
      return {
        text,
        confidence,
        x: box.x + middle * cos - below * sin - width / 2,
        y: box.y + middle * sin + below * cos,
        width,
        height: ink.height * box.height,
      };
    });
  }

  return async (page) => {
    const boxes = await linesOn(page, AREA);
    const quarters = await turnOf(page, boxes);
    const upright = await turned(page, quarters);
    const read = await readIn(upright, quarters === 0 ? boxes : await linesOn(upright, AREA));
    if (certaintyOf(read.lines) >= GOOD) return { ...read, quarters };
    // Small or faint letters: with more pixels, the boxes fit more closely around them.
    const again = await readIn(upright, await linesOn(upright, LARGER_AREA));
    return { ...(certaintyOf(again.lines) > certaintyOf(read.lines) ? again : read), quarters };
  };

  async function readIn(page: Pixels, boxes: readonly Box[]): Promise<ReadPage> {
    const lines: ReadWord[][] = [];
    for (const box of boxes) lines.push(await readLine(page, box));
    const { width, height } = page;
    const slope = slopeOf(boxes);
    return { width, height, slope, lines: level(page, slope, lines).filter(({ length }) => length > 0) };
  }

  /** By how many quarters a page must be turned clockwise so that its lines can be read. */
  async function turnOf(page: Pixels, boxes: readonly Box[]): Promise<number> {
    const tall = boxes.filter(({ width, height }) => height > 1.5 * width);
    const isSideways = tall.length > boxes.length / 2;
    const longest = (isSideways ? tall : boxes)
      .toSorted((a, b) => Math.max(b.width, b.height) - Math.max(a.width, a.height))
      .slice(0, SAMPLE);
    let [best, most] = [0, 0];
    for (const quarters of isSideways ? [1, 3, 0, 2] : [0, 2]) {
      const sure = await surenessOf(page, longest, quarters);
      if (sure > most) [best, most] = [quarters, sure];
      if (sure > SURE) break;
    }
    return best;
  }

  async function surenessOf(page: Pixels, boxes: readonly Box[], quarters: number): Promise<number> {
    const words: ReadWord[][] = [];
    for (const box of boxes) {
      const line = await turned(cutOut(page, box, Math.round(box.height)), quarters);
      const whole = { x: line.width / 2, y: line.height / 2, width: line.width, height: line.height, angle: 0 };
      words.push(await readLine(line, whole));
    }
    return certaintyOf(words);
  }
}

const FIND = new URL("../../../model/ocr/find.onnx", import.meta.url);
const READ = new URL("../../../model/ocr/read.onnx", import.meta.url);
const CHARACTERS = new URL("../../../model/ocr/characters.txt", import.meta.url);

/** In pixels: pages are scaled to this area for the network that finds lines. The larger one takes .6 GB. */
const AREA = 900_000;
const LARGER_AREA = 2_000_000;
/** A page that is read with less certainty is tried again. */
const GOOD = 0.9;
/** In pixels: the other network expects lines of this height. */
const LINE_HEIGHT = 48;
const STRETCH = 1.3;
const NARROWEST = 64;
const LONGEST_LINE = 6_000;
/** How many lines show which way up a page is. */
const SAMPLE = 6;
const SURE = 0.85;

/** Returns where the letters of a line are between its top, 0, and its bottom, 1: boxes are higher than their letters. */
function inkIn({ width, height, data }: Pixels): { middle: number; height: number } {
  const rows = Array.from({ length: height }, (_, row) => {
    let sum = 0;
    for (let x = 0; x < width; x++) sum += data[row * width + x] ?? 255;
    return sum / width;
  });
  const paper = ((rows[0] ?? 255) + (rows.at(-1) ?? 255)) / 2;
  const inked = rows.map((shade) => Math.abs(shade - paper));
  const most = inked.reduce((a, b) => Math.max(a, b), 0);
  const first = inked.findIndex((ink) => ink > INK * most);
  const last = inked.findLastIndex((ink) => ink > INK * most);
  const share = (last + 1 - first) / height;
  // Ink at an edge is that of a line beside the text.
  if (first < EDGE || last >= height - EDGE) return { middle: 0.5, height: 0.5 };
  return { middle: (first + last + 1) / 2 / height, height: share };
}

/** The least ink of a row of pixels that has letters, as a share of that of the darkest row. */
const INK = 0.1;
/** In rows of pixels. */
const EDGE = 3;

/** Returns by how much most lines slope, in radians. */
function slopeOf(boxes: readonly Box[]): number {
  const long = boxes.filter((box) => box.width > 3 * box.height).toSorted((a, b) => a.angle - b.angle);
  return long[long.length >> 1]?.angle ?? 0;
}

/** Moves words as if the page were turned until its lines are level. */
const level = (page: Pixels, slope: number, lines: readonly ReadWord[][]): ReadWord[][] =>
  lines.map((words) => words.map((word) => turnedAbout(page, word, -slope)));

/** Reads the words of a line: the likeliest character of each step, without repetitions (CTC). */
function wordsIn(likely: Float32Array, steps: number, classes: number, alphabet: readonly string[]) {
  const words: { text: string; confidence: number; from: number; to: number }[] = [];
  let last = 0;
  let isNew = true;
  for (let step = 0; step < steps; step++) {
    let best = 0;
    const row = step * classes;
    for (let i = 1; i < classes; i++) if ((likely[row + i] ?? 0) > (likely[row + best] ?? 0)) best = i;
    if (best !== 0 && best !== last) {
      const character = alphabet[best] ?? "";
      const confidence = likely[row + best] ?? 0;
      const word = words.at(-1);
      if (character.trim() === "") isNew = true;
      else if (isNew || !word) {
        words.push({ text: character, confidence, from: step, to: step + 1 });
        isNew = false;
      } else {
        word.text += character;
        word.confidence = Math.min(word.confidence, confidence);
        word.to = step + 1;
      }
      // Chinese has no spaces: a clause is the least that is marked as uncertain.
      if (/[\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]/.test(character)) isNew = true;
    }
    last = best;
  }
  return words;
}
