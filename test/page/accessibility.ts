import axe from "axe-core";
import type { Frame, Page } from "playwright-core";

/** The WCAG 2.2 rules of levels A and AA that the page violates, or a frame of it. */
export async function broken(page: Page | Frame): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => violations)",
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
