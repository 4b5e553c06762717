import { useEffect, useRef, useState } from "preact/hooks";

/** A file that was dropped on the page, or a folder, whose files a browser does not give. */
export interface Dropped {
  file: File;
  isFolder: boolean;
}

/**
 * Takes files that are dropped anywhere on the page.
 * @returns true while files are dragged over the page.
 */
export function useDrop(isWanted: boolean, onDrop: (files: Dropped[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const drop = useRef(onDrop);
  drop.current = onDrop;
  useEffect(() => {
    if (!isWanted) return;
    // The elements that the pointer is over: leaving one for another inside it is not leaving the page.
    let depth = 0;
    const listen = (name: "dragenter" | "dragover" | "dragleave" | "drop", then: (event: DragEvent) => void) => {
      const heard = (event: DragEvent) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        then(event);
      };
      addEventListener(name, heard);
      return () => removeEventListener(name, heard);
    };
    const ends = [
      listen("dragenter", () => {
        depth++;
        setIsOver(true);
      }),
      listen("dragover", () => {}),
      listen("dragleave", () => {
        depth--;
        if (depth <= 0) setIsOver(false);
      }),
      listen("drop", ({ dataTransfer }) => {
        depth = 0;
        setIsOver(false);
        drop.current(dataTransfer ? droppedIn(dataTransfer) : []);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [isWanted]);
  return isOver;
}

const droppedIn = ({ items }: DataTransfer): Dropped[] =>
  Array.from(items).flatMap((item) => {
    const file = item.kind === "file" ? item.getAsFile() : null;
    return file ? [{ file, isFolder: item.webkitGetAsEntry()?.isDirectory ?? false }] : [];
  });
