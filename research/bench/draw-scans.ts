import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { SCAN_PAGES } from "./scan-pages.js";

/** What happens to a page between the printer and the file. Each picture is 200 dpi A4. */
export const DAMAGES: Readonly<Record<string, (png: Buffer) => Promise<Buffer>>> = {
  clean: async (png) => sharp(png).png().toBuffer(),
  blurred: async (png) =>
    sharp(await noisy(await sharp(png).blur(1.6).toBuffer(), 10))
      .jpeg({ quality: 60 })
      .toBuffer(),
  tilted: async (png) =>
    sharp(await noisy(await sharp(png).rotate(2, { background: "white" }).toBuffer(), 6))
      .jpeg({ quality: 75 })
      .toBuffer(),
  photo: async (png) => photo(png),
  "turned-90": async (png) => sharp(png).rotate(90).jpeg({ quality: 80 }).toBuffer(),
  "turned-180": async (png) => sharp(png).rotate(180).jpeg({ quality: 80 }).toBuffer(),
};

/** A photograph by a weak telephone: tilted by 3°, shaded from one side, of low contrast, noisy, 140 dpi. */
async function photo(png: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(png).metadata();
  const shade = Buffer.from(
    `<svg width="${width}" height="${height}"><defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fff"/><stop offset="1" stop-color="#777"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/></svg>`,
  );
  const shaded = await sharp(png)
    .linear(0.7, 45)
    .composite([{ input: shade, blend: "multiply" }])
    .toBuffer();
  const tilted = await sharp(shaded).rotate(-3, { background: "#554433" }).toBuffer();
  const small = await sharp(tilted)
    .resize(Math.round((width ?? 1) * 0.7))
    .blur(0.8)
    .toBuffer();
  return sharp(await noisy(small, 12))
    .jpeg({ quality: 55 })
    .toBuffer();
}

/** Adds noise that is the same on every run. */
async function noisy(png: Buffer, sigma: number): Promise<Buffer> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  for (let i = 0; i < data.length; i += info.channels) {
    const noise = (random() + random() + random() - 1.5) * 2 * sigma;
    for (let c = 0; c < info.channels; c++)
      data[i + c] = Math.max(0, Math.min(255, Math.round((data[i + c] ?? 0) + noise)));
  }
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .png()
    .toBuffer();
}

/** Draws all pages with all damages. @param font a font file with Chinese characters. */
export async function drawScans(folder: string, font: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const url = `data:font/woff2;base64,${(await readFile(font)).toString("base64")}`;
  const css = `@font-face{font-family:Page;src:url(${url})}body{margin:20mm;font:11pt/1.4 "Liberation Serif",Page;background:#fff}
    [lang=zh]{font-family:Page}table{border-collapse:collapse;width:100%}td,th{padding:2mm 3mm;text-align:left}
    .ruled td,.ruled th{border:1px solid #000}.sides{display:flex;gap:12mm}.side{flex:1}
    .receipt{width:72mm;font:10pt "Liberation Mono",Page}.item{display:flex;justify-content:space-between}`;
  const browser = await chromium.launch({
    executablePath: process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const tab = await browser.newPage({ viewport: { width: 794, height: 1123 }, deviceScaleFactor: 200 / 96 });
  for (const { name, language, html } of SCAN_PAGES) {
    await tab.setContent(
      `<html lang="${language}"><style>${css}</style><body lang="${language}">${html}</body></html>`,
    );
    await tab.evaluate("document.fonts.ready");
    const png = await tab.screenshot({ type: "png" });
    for (const [damage, damaged] of Object.entries(DAMAGES)) {
      const bytes = await damaged(png);
      await writeFile(join(folder, `${name}.${damage}.${bytes[0] === 0x89 ? "png" : "jpg"}`), bytes);
    }
  }
  await browser.close();
}
