import { addressOfOriginal, hasToken, originalAsAddress } from "./server.js";
import { useWords } from "./words.js";

interface Props {
  documentId: string;
  /** The page of a PDF to open it at; empty for the first. */
  page?: string;
  onFault: (message: string) => void;
}

/** A link to the file of a document: a PDF is opened at its page, and any other file is saved. */
export function Original({ documentId, page = "", onFault }: Props) {
  const words = useWords();
  const isPdf = /\.pdf$/i.test(documentId);
  const place = page ? `#page=${page}` : "";
  const name = documentId.split(/[/:]/).at(-1) ?? "";
  return (
    <a
      href={addressOfOriginal(documentId) + place}
      target="_blank"
      rel="noreferrer"
      onClick={async (event) => {
        if (!hasToken()) return;
        event.preventDefault();
        // Opened before the download: later, a browser would block it as a pop-up.
        const tab = isPdf ? window.open() : undefined;
        try {
          const address = await originalAsAddress(documentId);
          if (tab) tab.location.href = address + place;
          else if (!isPdf) save(address, name);
        } catch (error) {
          tab?.close();
          onFault(error instanceof Error ? error.message : String(error));
        }
      }}
    >
      {isPdf ? words.openPdf(page) : words.openFile}
    </a>
  );
}

/** Saves what is at an address of this page. */
function save(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
