import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { quotesShown } from "../answer/citations.js";
import type { Cited } from "../types/conversation.js";
import type { Computed } from "../types/table.js";
import { Original } from "./original.js";
import { Marked } from "./parts.js";
import { type OpenedDocument, passages } from "./server.js";
import { ComputedView } from "./table.js";
import { pageOf } from "./turn.js";
import { useWords } from "./words.js";

interface PanelProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** What is beside the conversation. On a small screen it covers everything else. */
export function Panel({ title, onClose, children }: PanelProps) {
  const words = useWords();
  const panel = useRef<HTMLElement>(null);
  // Before the browser paints, so that the next key goes where the reader looks.
  useLayoutEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    const close = ({ key }: KeyboardEvent) => key === "Escape" && onClose();
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("keydown", close);
      // The focus goes back, unless the reader has moved it. The body has it when the focused button is gone.
      const now = document.activeElement;
      if (before instanceof HTMLElement && (now === document.body || panel.current?.contains(now))) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <aside class="panel" aria-label={title} tabIndex={0} ref={panel}>
      <div class="head">
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label={words.close} onClick={onClose}>
          ×
        </button>
      </div>
      {children}
    </aside>
  );
}

/** The quotes behind a marker, and what was computed for them. */
export interface Source {
  quotes: readonly Cited[];
  computed: Computed | undefined;
}

/** A source in a panel. */
export function SourcePanel({ source, onClose }: { source: Source; onClose: () => void }) {
  const words = useWords();
  return (
    <Panel title={source.computed ? words.figure : words.quote} onClose={onClose}>
      <SourceView key={source.quotes[0]?.evidenceId} {...source} />
    </Panel>
  );
}

/** What a source states: its quotes, marked in their passage, with links to the document; or what was computed. */
function SourceView({ quotes, computed }: Source) {
  const words = useWords();
  const [reading, setReading] = useState<OpenedDocument>();
  const [around, setAround] = useState(0);
  const [fault, setFault] = useState("");
  const text = useRef<HTMLDivElement>(null);
  const [first] = quotes;
  const { evidenceId = "", source = "document", title = "", section = "", uri = "" } = first ?? {};

  useEffect(() => {
    let isLeft = false;
    setFault("");
    if (source === "document" && evidenceId)
      passages(evidenceId, around).then(
        (found) => isLeft || setReading(found),
        (error: Error) => isLeft || setFault(error.message),
      );
    return () => {
      isLeft = true;
    };
  }, [evidenceId, around]);
  useEffect(() => {
    text.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [reading, quotes]);

  const passage = reading?.passages.find(({ id }) => id === evidenceId);
  const isChanged = passage && quotes.every(({ quote }) => !passage.text.includes(quote));
  const isLoading = source === "document" && evidenceId !== "" && !reading && !fault;
  return (
    <div class="source">
      <h3>{title || uri}</h3>
      <p class="hint">
        {!computed && [section, title && source === "document" ? uri : ""].filter(Boolean).join(" · ")}
      </p>
      {isLoading && <p>{words.loading}</p>}
      {fault && <p class="fault">{fault}</p>}
      {isChanged && <p class="fault">{words.changed}</p>}
      {(!passage || isChanged) &&
        (computed ? quotesShown(quotes) : [...new Set(quotes.map(({ quote }) => quote))]).map((quote) => (
          <blockquote key={quote}>{quote}</blockquote>
        ))}
      {computed && <ComputedView computed={computed} />}
      <div class="passages" ref={text}>
        {reading?.passages.map(({ id, section, text }) => (
          <section key={id}>
            {reading.passages.length > 1 && section && <h4>{section}</h4>}
            <p>
              <Marked text={text} quotes={id === evidenceId ? quotes : []} />
            </p>
          </section>
        ))}
      </div>
      <p class="buttons">
        {reading && around === 0 && (
          <button type="button" class="second" onClick={() => setAround(WHOLE)}>
            {words.whole}
          </button>
        )}
        {reading?.original && <Original documentId={reading.documentId} page={pageOf(section)} onFault={setFault} />}
        {!computed && /^https?:/.test(uri) && (
          <a href={uri} target="_blank" rel="noreferrer">
            {words.openPage}
          </a>
        )}
      </p>
    </div>
  );
}

/** The most passages on either side that the server returns. */
const WHOLE = 500;
