import type { Listed } from "./conversations.js";
import { useWords } from "./words.js";

interface Props {
  list: readonly Listed[];
  /** The conversation that is open. */
  thread: string;
  isShown: boolean;
  onOpen: (id: string) => void;
  onNew: () => void;
  onForget: (id: string) => void;
}

/** The conversations of this browser, the newest first. */
export function History({ list, thread, isShown, onOpen, onNew, onForget }: Props) {
  const words = useWords();
  const day = new Intl.DateTimeFormat(words.language, { month: "short", day: "numeric" });
  return (
    <nav id="conversations" class={isShown ? "history shown" : "history"} aria-label={words.conversations}>
      <button type="button" class="new" onClick={onNew}>
        {words.fresh}
      </button>
      {list.length === 0 && <p class="hint">{words.none}</p>}
      <ul>
        {list.map(({ id, title, at }) => (
          <li key={id}>
            <button
              type="button"
              class="entry"
              aria-current={id === thread ? "true" : undefined}
              onClick={() => onOpen(id)}
            >
              <span class="title">{title}</span>
              <time dateTime={new Date(at).toISOString()}>{day.format(at)}</time>
            </button>
            <button type="button" class="quiet forget" aria-label={words.forget(title)} onClick={() => onForget(id)}>
              ×
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
