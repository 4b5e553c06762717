import { parseFragment } from "parse5";

const ENTITY = /&(?:#x?[\da-f]{1,7}|[a-z][a-z\d]{1,31});/gi;

/** Replaces entities of HTML by their characters, as `write` returns them. */
export function withCharacters(text: string, write: (character: string) => string = (character) => character): string {
  const characters = new Map<string, string>();
  return text.replace(ENTITY, (entity) => {
    let character = characters.get(entity);
    if (character === undefined) {
      const [node] = parseFragment(entity).childNodes;
      character = write(node && "value" in node ? node.value : entity);
      characters.set(entity, character);
    }
    return character;
  });
}
