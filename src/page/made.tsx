import { useEffect, useRef, useState } from "preact/hooks";
import { messagesIn } from "../answer/messages/index.js";
import { CheckBox, Marked, TextField } from "./parts.js";
import { type OpenedDocument, passages, postDecided, readMade } from "./server.js";
import { useWords } from "./words.js";

type Made = Awaited<ReturnType<typeof readMade>>["questions"][number];

/** The questions that a model wrote, to keep, edit or drop one after the other. A dropped one can be kept after all. */
export function MadeQuestions() {
  const { language, loading } = useWords();
  const words = messagesIn(language).quality;
  const [all, setAll] = useState<Made[]>();
  const [openId, setOpenId] = useState("");
  const [hasMoved, setHasMoved] = useState(false);
  const [fault, setFault] = useState("");
  const main = useRef<HTMLElement>(null);

  useEffect(() => {
    readMade().then(
      ({ questions }) => {
        setAll(questions);
        setOpenId(questions.find(isOpen)?.id ?? "");
      },
      (error: Error) => setFault(error.message),
    );
  }, []);

  /** Goes on with the next question that nobody has decided, from this place on. */
  const goOn = (decided: Made[], place: number) => {
    const next = [...decided.slice(place), ...decided.slice(0, place)].find(isOpen);
    setAll(decided);
    setOpenId(next?.id ?? "");
    setHasMoved(true);
    if (!next) main.current?.focus();
  };
  return (
    <main class="quality" id="question" tabIndex={-1} ref={main}>
      <link rel="stylesheet" href="quality.css" />
      <header>
        <h2>{words.made}</h2>
        <a href="#/quality">{words.title}</a>
        <p role="status">
          {all &&
            words.kept(all.filter(({ isKept }) => isKept).length, all.filter(({ isDropped }) => !isDropped).length)}
        </p>
      </header>
      {fault ? <p class="fault">{fault}</p> : <p class="hint">{all ? words.madeHint : loading}</p>}
      <section>
        {all?.map((made, place) => (
          <details
            key={made.id}
            open={made.id === openId}
            onToggle={({ currentTarget: { open } }) => {
              if (open === (made.id === openId)) return;
              setHasMoved(false);
              setOpenId(open ? made.id : "");
            }}
          >
            <summary>
              {made.isDropped ? <s>{made.question}</s> : made.question}{" "}
              <span class="hint">
                {[
                  made.tags[1],
                  ...(made.isKept ? [words.isKept] : []),
                  ...(made.isDropped ? [words.isDropped] : []),
                ].join(" · ")}
              </span>
            </summary>
            {made.id === openId && (
              <MadeFields
                made={made}
                isFocused={hasMoved}
                onKept={(kept) =>
                  goOn(all.with(place, { ...made, ...kept, isKept: true, isDropped: false }), place + 1)
                }
                onDropped={() => goOn(all.with(place, { ...made, isKept: false, isDropped: true }), place + 1)}
              />
            )}
          </details>
        ))}
      </section>
    </main>
  );
}

const isOpen = ({ isKept, isDropped }: Made) => !isKept && !isDropped;

interface FieldsProps {
  made: Made;
  /** True if the question is shown because the one before it was decided. */
  isFocused: boolean;
  onKept: (kept: Pick<Made, "question" | "answer" | "also">) => void;
  onDropped: () => void;
}

function MadeFields({ made, isFocused, onKept, onDropped }: FieldsProps) {
  const words = messagesIn(useWords().language).quality;
  const [question, setQuestion] = useState(made.question);
  const [answer, setAnswer] = useState(made.answer ?? "");
  const [also, setAlso] = useState(made.also ?? []);
  const [unanswerable, setUnanswerable] = useState(made.answer === null);
  const [fault, setFault] = useState("");
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused) first.current?.focus();
  }, []);
  const send = (kept: Parameters<typeof postDecided>[0]["kept"], done: () => void) =>
    postDecided({ id: made.id, kept }).then(done, (error: Error) => setFault(error.message));
  return (
    <div class="made">
      <form
        class="card review"
        onSubmit={(event) => {
          event.preventDefault();
          const kept = { question, answer: unanswerable ? null : answer, also: unanswerable ? [] : also };
          send(kept, () => onKept(kept));
        }}
      >
        {made.history?.map((turn) => (
          <p key={turn.question} class="hint">
            {words.earlier}: {turn.question} — {turn.answer}
          </p>
        ))}
        <TextField label={words.question} value={question} onValue={setQuestion} inputRef={first} />
        <TextField label={words.expected} value={answer} onValue={setAnswer} isNeeded={!unanswerable} />
        {also.map((part, i) => (
          <TextField
            key={i}
            label={words.also}
            value={part}
            onValue={(value) => setAlso(also.with(i, value))}
            isNeeded={!unanswerable}
          />
        ))}
        <CheckBox label={words.unanswerable} checked={unanswerable} onChecked={setUnanswerable} />
        <p class="buttons">
          <button type="submit">{words.keep}</button>
          {!made.isDropped && (
            <button type="button" class="second" onClick={() => send(null, onDropped)}>
              {words.drop}
            </button>
          )}
        </p>
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
      </form>
      <Passages made={made} answers={unanswerable ? [] : [answer, ...also]} />
    </div>
  );
}

/** The passages that a question was made from, with the words of the answers marked. */
function Passages({ made: { id, tags }, answers }: { made: Made; answers: readonly string[] }) {
  const [found, setFound] = useState<OpenedDocument>();
  const [fault, setFault] = useState("");
  const isOfTwo = tags.includes("two passages");
  useEffect(() => {
    // Behind its kind, the id of a question is that of its passage.
    passages(id.slice(id.indexOf(": ") + 2), isOfTwo ? 1 : 0).then(setFound, (error: Error) => setFault(error.message));
  }, [id]);
  const quotes = answers.map((quote) => ({ quote, start: 0, end: 0 }));
  return (
    <div>
      {fault && <p class="fault">{fault}</p>}
      <h3>{found?.title || found?.uri}</h3>
      {/* The second passage of two is the one behind the first, or before it at the end of a document. */}
      {found?.passages.slice(-2).map((passage) => (
        <section key={passage.id}>
          <p class="hint">{passage.section}</p>
          <p class="passage">
            <Marked text={passage.text} quotes={quotes} />
          </p>
        </section>
      ))}
    </div>
  );
}
