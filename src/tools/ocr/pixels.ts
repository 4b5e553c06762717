import sharp, { type Sharp } from "sharp";
import type { Box } from "./boxes.js";

/** A picture in shades of grey, row by row: 0 is black, 255 white. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Turns a picture clockwise by this many quarters. */
export const turned = (pixels: Pixels, quarters: number): Promise<Pixels> =>
  quarters % 4 === 0 ? Promise.resolve(pixels) : shades(opened(pixels).rotate((quarters % 4) * 90));

/** Scales a picture. */
export const resized = (pixels: Pixels, width: number, height: number): Promise<Pixels> =>
  shades(opened(pixels).resize(width, height, { fit: "fill" }));

const opened = ({ width, height, data }: Pixels) => sharp(data, { raw: { width, height, channels: 1 } });

/** Reads a picture in shades of grey. What is transparent is white. */
export async function shades(picture: Sharp): Promise<Pixels> {
  const drawn = picture.flatten({ background: "white" }).toColourspace("b-w").raw({ depth: "uchar" });
  const { data, info } = await drawn.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Cuts out a box, straightened and scaled to a height. Beyond the edge of the picture, its edge goes on. */
export function cutOut(pixels: Pixels, { x, y, width, height, angle }: Box, to: number, stretch = 1): Pixels {
  const scale = height / to;
  const across = Math.max(1, Math.ceil((width / scale) * stretch));
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  // Where a pixel stands for several, it is the mean of four points.
  const points = scale > 1.5 ? [-0.25, 0.25] : [0];
  const out = new Uint8Array(across * to);
  for (let row = 0; row < to; row++)
    for (let column = 0; column < across; column++) {
      let value = 0;
      for (const down of points)
        for (const right of points) {
          const along = ((column + 0.5 + right) * scale) / stretch - width / 2;
          const below = (row + 0.5 + down) * scale - height / 2;
          value += between(pixels, x + along * cos - below * sin - 0.5, y + along * sin + below * cos - 0.5);
        }
      out[row * across + column] = Math.round(value / points.length ** 2);
    }
  return { width: across, height: to, data: out };
}

/** The shade at a point between pixels. */
function between({ width, height, data }: Pixels, x: number, y: number): number {
  const left = Math.min(width - 1, Math.max(0, Math.floor(x)));
  const top = Math.min(height - 1, Math.max(0, Math.floor(y)));
  const right = Math.min(width - 1, left + 1);
  const bottom = Math.min(height - 1, top + 1);
  const [dx, dy] = [Math.min(1, Math.max(0, x - left)), Math.min(1, Math.max(0, y - top))];
  const at = (column: number, row: number) => data[row * width + column] ?? 255;
  const above = at(left, top) * (1 - dx) + at(right, top) * dx;
  const below = at(left, bottom) * (1 - dx) + at(right, bottom) * dx;
  return above * (1 - dy) + below * dy;
}
