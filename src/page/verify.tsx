import { useRef, useState } from "preact/hooks";
import { reasonInWords } from "../answer/messages/index.js";
import type { Span } from "../types/evidence.js";
import { postVerify, type VerifyReply } from "./server.js";
import { useWords } from "./words.js";

/** Judges each sentence of a text by the documents, or by sources that are pasted beside it. */
export function Verify() {
  const words = useWords();
  const [text, setText] = useState("");
  const [sources, setSources] = useState("");
  const [isPasted, setIsPasted] = useState(false);
  const [isRunning, setIsRunning] = useState(false);
  const [fault, setFault] = useState("");
  const [judged, setJudged] = useState<VerifyReply & { of: string }>();
  const running = useRef<AbortController>(undefined);

  async function judge() {
    running.current = new AbortController();
    setIsRunning(true);
    setFault("");
    setJudged(undefined);
    const pasted = sources.split(/^---+$/m).filter((source) => source.trim() !== "");
    try {
      const given = isPasted ? pasted.map((text) => ({ text })) : undefined;
      setJudged({ ...(await postVerify(text, given, running.current.signal)), of: text });
    } catch (error) {
      setFault(running.current.signal.aborted ? words.stopped : error instanceof Error ? error.message : "");
    }
    setIsRunning(false);
  }

  const against = (pasted: boolean, label: string) => (
    <label class="choice">
      <input type="radio" name="against" checked={isPasted === pasted} onChange={() => setIsPasted(pasted)} />
      {label}
    </label>
  );
  return (
    <main class="verify">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          judge();
        }}
      >
        <h2>{words.verify}</h2>
        <label>
          {words.text}
          <textarea
            id="question"
            required
            rows={8}
            maxLength={100_000}
            placeholder={words.textHint}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <fieldset>
          <legend>{words.against}</legend>
          {against(false, words.byDocuments)}
          {against(true, words.bySources)}
        </fieldset>
        {isPasted && (
          <textarea
            required
            rows={8}
            aria-label={words.bySources}
            placeholder={words.sourcesHint}
            value={sources}
            onInput={({ currentTarget }) => setSources(currentTarget.value)}
          />
        )}
        {isRunning ? (
          <button type="button" onClick={() => running.current?.abort()}>
            {words.stop}
          </button>
        ) : (
          <button type="submit">{words.check}</button>
        )}
      </form>
      <div role="status">
        {isRunning && <p class="doing">{words.checking}</p>}
        {fault && <p class="fault">{fault}</p>}
        {judged && <p class="sum">{summary(judged)}</p>}
      </div>
      {judged && <Judged {...judged} />}
    </main>
  );

  function summary({ claims }: VerifyReply) {
    const held = claims.filter(({ verdict }) => verdict === "supported" || verdict === "likely").length;
    return claims.length === 0 ? words.nothing : words.holds(held, claims.length);
  }
}

function Judged({ of, claims, references }: VerifyReply & { of: string }) {
  const words = useWords();
  return (
    <ol class="judged">
      {claims.map(({ start, end, verdict, reason, citations, wrong }) => (
        <li key={start} class={verdict}>
          <p>
            <span class="verdict">{words[verdict]}</span> {withWrong(of, { start, end }, wrong)}
          </p>
          {verdict !== "supported" && <p class="hint">{reasonInWords({ reason }, words.language)}</p>}
          {citations.map(({ reference, quote }, i) => (
            <blockquote key={i}>
              {quote} <cite>{references.find(({ number }) => number === reference)?.title}</cite>
            </blockquote>
          ))}
        </li>
      ))}
    </ol>
  );
}

/** A sentence as it was written, with the words that nothing supports underlined. */
function withWrong(text: string, { start, end }: Span, wrong: readonly Span[]) {
  let at = start;
  const parts = wrong.flatMap((span) => {
    const before = text.slice(at, span.start);
    at = span.end;
    return [before, <u key={span.start}>{text.slice(span.start, span.end)}</u>];
  });
  return [...parts, text.slice(at, end)];
}
