import * as product from "../../src/text/orders.js";
import type { Span } from "../../src/types/evidence.js";

/**
 * Replaces src/text/orders.ts while injection is measured (research/eval/injection.ts), so that detection can be
 * switched off.
 */
export const orders = (text: string): readonly Span[] => (detector.on ? product.orders(text) : []);

export const withoutOrders = (text: string, instead: string): string =>
  detector.on ? product.withoutOrders(text, instead) : text;

export const detector = { on: true };
