import { decodeHTML } from "entities";

const ENTITY = /&(?:#x?[\da-f]{1,7}|[a-z][a-z\d]{1,31});/gi;

/** Replaces entities of HTML by their characters, as `write` returns them. */
export const withCharacters = (text: string, write: (character: string) => string = (character) => character): string =>
  text.replace(ENTITY, (entity) => write(decodeHTML(entity)));
