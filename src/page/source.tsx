import { useEffect, useId, useRef, useState } from "preact/hooks";
import { quotesShown } from "../answer/citations.js";
import { hashOf, type Place, pageOf } from "../answer/links.js";
import type { Cited } from "../types/conversation.js";
import type { Computed } from "../types/table.js";
import { Original } from "./original.js";
import { Pages } from "./pages.js";
import { blocksIn, type Quoted, quoted, spansIn } from "./passage.js";
import { type OpenedDocument, passages } from "./server.js";
import { ComputedView, Rows } from "./table.js";
import { useWords } from "./words.js";

interface Props {
  /** What is cited. Its title, section and address are shown until the document is there. */
  cited: Pick<Cited, "evidenceId" | "source" | "title" | "section" | "uri" | "collection">;
  quotes: readonly Quoted[];
  computed: Computed | undefined;
  /** True if the quotes are those of a link, which anybody may have written. */
  isLinked?: boolean;
}

/**
 * What a source states: its quotes, marked on the page of the original where there is one and in their passage, with links
 * to the document; or what was computed.
 */
export function SourceView({ cited, quotes, computed, isLinked = false }: Props) {
  const words = useWords();
  const [reading, setReading] = useState<OpenedDocument>();
  const [around, setAround] = useState(0);
  const [fault, setFault] = useState("");
  const text = useRef<HTMLDivElement>(null);
  const id = useId();
  const { evidenceId, source } = cited;
  const has = (passage: { text: string }) => spansIn(passage.text, quotes).length > 0;
  const own = reading?.passages.find((passage) => passage.id === evidenceId);
  // If the document has changed, its passages may have other numbers.
  const passage = own && (quotes.length === 0 || has(own)) ? own : reading?.passages.find(has);
  const isMissing = reading !== undefined && quotes.length > 0 && !passage;
  const isChanged = isMissing && around === WHOLE;

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
    if (isMissing) setAround(WHOLE);
    // The page of the original is above, and shows the quote itself.
    if (!reading?.drawn) text.current?.querySelector("mark, .used")?.scrollIntoView({ block: "center" });
  }, [reading, quotes]);

  const title = cited.title || reading?.title || "";
  const uri = cited.uri || reading?.uri || "";
  // A web address is the link below, and has the words of the quote at its end.
  const isAddress = /^https?:/.test(uri);
  const section = cited.section || passage?.section || "";
  const isLoading = source === "document" && evidenceId !== "" && !reading && !fault;
  const { slide, mail, drawn, original, documentId = "" } = reading ?? {};
  const shown = [
    slide && words.slideOf(slide.number, slide.of),
    section,
    title && source === "document" && !isAddress ? uri : "",
    documentId && reading?.reviewedAt,
  ];
  const plain = [...new Set(quotes.map(({ quote }) => quote))];
  const here = hashOf({ id: passage?.id ?? evidenceId, quotes: plain });
  return (
    <div class="source">
      <h3 id={id}>{title || uri}</h3>
      <p class="hint">{[cited.collection, ...(computed ? [] : shown)].filter(Boolean).join(" · ")}</p>
      {mail && (
        <dl class="mail">
          {(["from", "to", "cc", "date"] as const).map(
            (name) =>
              mail[name] &&
              mail[name].length > 0 && (
                <div key={name}>
                  <dt>{words.mail[name]}</dt>
                  <dd>{name === "date" ? dateIn(mail[name].join(), words.language) : mail[name].join(", ")}</dd>
                </div>
              ),
          )}
        </dl>
      )}
      {isLoading && <p>{words.loading}</p>}
      {fault && <p class="fault">{fault}</p>}
      {isChanged && <p class="fault">{isLinked ? words.notThere : words.changed}</p>}
      {(reading ? isChanged : !isLinked) &&
        (computed ? quotesShown(quotes) : plain).map((quote) => <blockquote key={quote}>{quote}</blockquote>)}
      {computed && <ComputedView computed={computed} />}
      {drawn && (!isMissing || isChanged) && (
        <Pages key={passage?.id} id={passage?.id ?? evidenceId} documentId={documentId} quotes={plain} />
      )}
      <div class="passages" ref={text}>
        {reading?.passages.map(({ id: name, section, text }) => (
          <section key={name}>
            {reading.passages.length > 1 && section && <h4>{section}</h4>}
            <PassageView labelledBy={id} text={text} quotes={name === passage?.id ? quotes : []} />
          </section>
        ))}
      </div>
      <p class="buttons">
        {reading && around === 0 && (
          <button type="button" class="second" onClick={() => setAround(WHOLE)}>
            {words.whole}
          </button>
        )}
        {original && <Original documentId={documentId} page={pageOf(section)} onFault={setFault} />}
        {!computed && isAddress && (
          <a href={uri} target="_blank" rel="noreferrer">
            {words.openPage}
          </a>
        )}
        {source === "document" && reading && isPage() && !location.hash.startsWith("#/source/") && (
          <a href={here}>{words.linkHere}</a>
        )}
      </p>
    </div>
  );
}

/** A date and time as the reader writes them; unchanged if it cannot be read. */
function dateIn(written: string, language: string): string {
  const date = new Date(written);
  if (Number.isNaN(date.getTime())) return written;
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(date);
}

/** The most passages on either side that the server returns. */
const WHOLE = 500;

/** A passage with its tables as tables; its quotes are marked. */
function PassageView({ labelledBy, text, quotes }: { labelledBy: string; text: string; quotes: readonly Quoted[] }) {
  return (
    <>
      {blocksIn(text, quotes).map((block, i) =>
        block.kind === "table" ? (
          <Rows key={i} labelledBy={labelledBy} columns={block.columns} rows={block.rows} isAmong />
        ) : (
          <p key={i}>{block.parts.map(({ text, isQuote }, j) => (isQuote ? <mark key={j}>{text}</mark> : text))}</p>
        ),
      )}
    </>
  );
}

/** A source alone on the page, as a link names it. */
export function SourcePage({ place: { id, quotes } }: { place: Place }) {
  const words = useWords();
  return (
    <main class="alone at-source">
      <h2 class="unseen">{words.quote}</h2>
      <SourceView
        cited={{ evidenceId: id, source: "document", title: "", section: "", uri: "" }}
        quotes={quotes.map(quoted)}
        computed={undefined}
        isLinked
      />
    </main>
  );
}

/** False in the widget, which has its settings where the page has the place. */
const isPage = () => parent === window;
