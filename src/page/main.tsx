import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messagesIn } from "../answer/messages/index.js";
import { AskView } from "./ask.js";
import { forgetConversation, forgetList, type Listed, listBelongsTo, listedConversations } from "./conversations.js";
import { DocumentsView } from "./documents.js";
import { useDrop } from "./drop.js";
import {
  type Drawing,
  graphDrawing,
  hasToken,
  type Me,
  type Rights,
  readMe,
  readRights,
  signOut,
  TokenWanted,
} from "./server.js";
import { returnToPlace, SignIn } from "./sign-in.js";
import { useUploads } from "./uploads.js";
import { Verify } from "./verify.js";
import { nextLanguage, nextWords, useWords, WordsContext, wordsHere } from "./words.js";

/** The key of this tab's conversation, which is kept when the page is reloaded. */
const THREAD = "emend-thread";

/** True if the address is that of the operators' view, which the page does not link to. */
const isQualityNamed = () => location.hash.startsWith("#/quality");

function App() {
  const [words, setWords] = useState(wordsHere);
  const [view, setView] = useState<"ask" | "documents" | "verify" | "quality">(isQualityNamed() ? "quality" : "ask");
  const [quality, setQuality] = useState<typeof import("./quality.js")>();
  const [list, setList] = useState(listedConversations);
  const [thread, setThread] = useState<string>(() => sessionStorage.getItem(THREAD) ?? crypto.randomUUID());
  const [drawing, setDrawing] = useState<Drawing>();
  const [wanted, setWanted] = useState<"no" | "a token" | "another token">("no");
  const [isListShown, setIsListShown] = useState(false);
  const [me, setMe] = useState<Me>();
  const [upload, setUpload] = useState<Rights["upload"]>(null);
  const uploads = useUploads(upload, words);

  const begin = async () => {
    const found = await readMe().catch(() => undefined);
    setMe(found);
    if (found?.id && listBelongsTo(found.id)) {
      setList([]);
      setThread(crypto.randomUUID());
    }
    await graphDrawing().then(
      (drawn) => {
        setDrawing(drawn);
        setWanted("no");
        // The page works without.
        readRights().then(
          ({ upload }) => setUpload(upload),
          () => {},
        );
      },
      (error) => error instanceof TokenWanted && setWanted(hasToken() ? "another token" : "a token"),
    );
  };
  const leave = async () => {
    const to = await signOut();
    forgetList();
    sessionStorage.removeItem(THREAD);
    location.assign(to);
  };
  useEffect(() => {
    begin();
  }, []);
  useEffect(() => {
    document.documentElement.lang = words.language;
  }, [words]);

  useEffect(() => sessionStorage.setItem(THREAD, thread), [thread]);
  useEffect(() => {
    const follow = () => {
      if (isQualityNamed()) setView("quality");
      // Other hashes name places on the page.
      else if (location.hash === "") setView((shown) => (shown === "quality" ? "ask" : shown));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    if (view === "quality") import("./quality.js").then(setQuality);
  }, [view]);

  const open = (id: string) => {
    setThread(id);
    setView("ask");
    setIsListShown(false);
  };
  const show = (name: typeof view) => {
    setView(name);
    if (isQualityNamed()) history.pushState(null, "", location.pathname);
  };
  const isDropping = useDrop(upload !== null, (files) => {
    show("documents");
    uploads.add(files);
  });
  const tab = (name: "ask" | "documents" | "verify", title: string) => (
    <button type="button" class="tab" aria-current={view === name ? "page" : undefined} onClick={() => show(name)}>
      {title}
    </button>
  );
  const { title: documents, dropNow } = messagesIn(words.language).documents;
  return (
    <WordsContext.Provider value={words}>
      {wanted === "no" && (
        <a class="skip" href="#question">
          {words.skip}
        </a>
      )}
      <header class="top">
        <button
          type="button"
          class="only-narrow quiet"
          aria-expanded={isListShown}
          aria-controls="conversations"
          aria-label={words.conversations}
          onClick={() => setIsListShown(!isListShown)}
        >
          ☰
        </button>
        <h1 class="name">
          <img src="icon.svg" alt="" width="24" height="24" />
          emend
        </h1>
        <nav>
          {tab("ask", words.ask)}
          {upload && tab("documents", uploads.open > 0 ? `${documents} (${uploads.open})` : documents)}
          {tab("verify", words.verify)}
        </nav>
        {me?.name && (
          <span class="hint who" title={words.signedInAs(me.name)}>
            <span class="unseen">{words.signedInAs("")}</span> {me.name}
          </span>
        )}
        {me?.canSignOut && (
          <button type="button" class="quiet" onClick={leave}>
            {words.signOut}
          </button>
        )}
        <button type="button" class="quiet" lang={nextLanguage(words).tag} onClick={() => setWords(nextWords)}>
          {nextLanguage(words).name}
        </button>
      </header>
      {wanted !== "no" ? (
        <SignIn isWrong={wanted === "another token"} me={me} onGiven={begin} />
      ) : view === "quality" ? (
        quality && <quality.Quality drawing={drawing} />
      ) : view === "verify" ? (
        <Verify />
      ) : view === "documents" && upload ? (
        <DocumentsView upload={upload} uploads={uploads} />
      ) : (
        <div class="columns">
          <History
            list={list}
            thread={thread}
            isShown={isListShown}
            onOpen={open}
            onNew={() => open(crypto.randomUUID())}
            onForget={(id) => {
              setList(forgetConversation(id));
              if (id === thread) open(crypto.randomUUID());
            }}
          />
          <AskView
            key={thread}
            thread={thread}
            drawing={drawing}
            mayUpload={upload !== null}
            onListed={setList}
            onTokenWanted={begin}
          />
        </div>
      )}
      {isDropping && (
        <p class="dropping" role="status">
          {dropNow}
        </p>
      )}
    </WordsContext.Provider>
  );
}

returnToPlace();
render(<App />, document.body);

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
function History({ list, thread, isShown, onOpen, onNew, onForget }: Props) {
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
