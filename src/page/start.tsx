import { useEffect, useState } from "preact/hooks";
import { type Examples, examples } from "./server.js";
import { useWords } from "./words.js";

/** An empty conversation: what is stored, what can be asked, and how documents are added. */
export function Start({ onAsk }: { onAsk: (question: string) => void }) {
  const words = useWords();
  const [found, setFound] = useState<Examples>();
  useEffect(() => {
    // Without them the page works as well; that a token is wanted is seen elsewhere.
    examples(words.language).then(setFound, () => {});
  }, [words]);
  const { documents = 0, titles = [], questions = [] } = found ?? {};
  return (
    <div class="welcome">
      <h2>{words.welcome}</h2>
      <p>{words.promise}</p>
      {documents > 0 && <p>{words.stored(documents, titles)}</p>}
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" class="second" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">
        {words.toAdd} <code>{words.addBy}</code>
      </p>
    </div>
  );
}
