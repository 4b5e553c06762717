import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Answered } from "./answered.js";
import { Composer } from "./composer.js";
import { type Source, SourcePanel } from "./panel.js";
import { onlyToken } from "./server.js";
import { useTalk } from "./talk.js";
import { useWords, WordsContext, wordsIn } from "./words.js";

/** What the page around the frame gives it. Anybody could have written it. */
const given = new URLSearchParams(location.hash.slice(1));
const textOf = (name: string) => given.get(name) ?? "";

/** The key of this tab's conversation, which goes on when another page of the site is opened. */
const THREAD = `emend-widget ${textOf("collection")}`;

/** Tells the page around the frame, which may be of any origin that the server allows. */
const close = () => parent.postMessage("emend: close", "*");

function Widget() {
  const words = useWords();
  const [kept] = useState(() => storage()?.getItem(THREAD));
  const [thread, setThread] = useState<string>(() => kept ?? crypto.randomUUID());
  const title = textOf("title") || words.widget;
  useEffect(() => {
    const heard = ({ key, isComposing }: KeyboardEvent) => {
      // A quote that is open is closed first, by itself.
      if (key === "Escape" && !isComposing && !document.querySelector(".panel")) close();
    };
    const focused = () => document.activeElement === document.body && document.getElementById("question")?.focus();
    document.addEventListener("keydown", heard);
    addEventListener("focus", focused);
    return () => {
      document.removeEventListener("keydown", heard);
      removeEventListener("focus", focused);
    };
  }, []);
  return (
    <>
      <header class="top">
        <h1 class="title">{title}</h1>
        <button type="button" class="quiet" onClick={() => setThread(crypto.randomUUID())}>
          {words.fresh}
        </button>
        <button type="button" class="quiet" aria-label={words.close} onClick={close}>
          ×
        </button>
      </header>
      <Conversation key={thread} thread={thread} isKept={thread === kept} />
    </>
  );
}

function Conversation({ thread, isKept }: { thread: string; isKept: boolean }) {
  const words = useWords();
  const [source, setSource] = useState<Source>();
  const [isRefused, setIsRefused] = useState(false);
  const { turns, last, hint, fault, said, box, ...talk } = useTalk({
    thread,
    isKept,
    collection: textOf("collection"),
    onAsked: () => storage()?.setItem(THREAD, thread),
    onTokenWanted: () => setIsRefused(true),
  });
  const wrong = fault || (isRefused ? words.wrongToken : "");
  return (
    <>
      <main class="conversation">
        <div class="turns" ref={box}>
          {turns.length === 0 && <p class="greeting">{textOf("greeting") || words.widgetPromise}</p>}
          {turns.map((turn, i) => (
            <Answered
              key={i}
              turn={turn}
              thread={thread}
              onCited={(quotes) => setSource({ quotes, computed: turn.computed?.[quotes[0]?.evidenceId ?? ""] })}
              onReply={(reply) => talk.say(reply, true)}
            />
          ))}
          {wrong && (
            <p class="fault" role="alert">
              {wrong}
            </p>
          )}
        </div>
        <Composer
          hint={hint || textOf("placeholder") || words.question}
          isRunning={last?.isRunning ?? false}
          isWaiting={last?.waiting?.type === "approve"}
          onSend={(text) => {
            setSource(undefined);
            setIsRefused(false);
            talk.say(text, false);
          }}
          onStop={talk.stop}
        />
        <div class="unseen" role="status">
          {said}
        </div>
      </main>
      {source && <SourcePanel source={source} onClose={() => setSource(undefined)} />}
    </>
  );
}

/** The storage of this tab. A browser may deny it to a frame of another site. */
function storage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/** Shows the widget in what a page gives it: a token, words and colours. */
function begin(): void {
  onlyToken(textOf("token"));
  const words = wordsIn(textOf("language"));
  const { documentElement: root } = document;
  document.title = textOf("title") || words.widget;
  root.lang = words.language;
  root.dataset.theme = textOf("theme");
  const accent = textOf("accent");
  if (CSS.supports("color", accent)) {
    root.dataset.accent = "";
    root.style.setProperty("--brand", accent);
  }
  render(
    <WordsContext.Provider value={words}>
      <Widget />
    </WordsContext.Provider>,
    document.body,
  );
}

// Opened by itself, it would show the words of whoever wrote the link as if they were the server's.
if (parent === window) location.replace("./");
else begin();
