import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { placeIn } from "../answer/links.js";
import { messagesIn } from "../answer/messages/index.js";
import { AskView } from "./ask.js";
import { CollectionChoice } from "./collection-choice.js";
import {
  forgetConversation,
  forgetList,
  type Listed,
  listBelongsTo,
  listedConversations,
  rememberCollection,
} from "./conversations.js";
import { DocumentsView } from "./documents.js";
import { useDrop } from "./drop.js";
import {
  type Collection,
  type Drawing,
  graphDrawing,
  hasToken,
  type Me,
  type Rights,
  readCollections,
  readMe,
  readRights,
  signOut,
  TokenWanted,
} from "./server.js";
import { returnToPlace, SignIn } from "./sign-in.js";
import { SourcePage } from "./source.js";
import { useUploads } from "./uploads.js";
import { Verify } from "./verify.js";
import { nextLanguage, nextWords, useWords, WordsContext, wordsHere } from "./words.js";

/** The key of this tab's conversation, which is kept when the page is reloaded. */
const THREAD = "emend-thread";

/** True if the address is that of the operators' view, which the page does not link to. */
const isQualityNamed = () => location.hash.startsWith("#/quality");

/** The source that the address names, as the links of citations do. */
const placeNamed = () => placeIn(location.hash);

const viewNamed = () => (isQualityNamed() ? "quality" : placeNamed() ? "source" : undefined);

function App() {
  const [words, setWords] = useState(wordsHere);
  const [view, setView] = useState<"ask" | "documents" | "verify" | "quality" | "source">(() => viewNamed() ?? "ask");
  const [place, setPlace] = useState(placeNamed);
  const [quality, setQuality] = useState<typeof import("./quality.js")>();
  const [list, setList] = useState(listedConversations);
  const [thread, setThread] = useState<string>(() => sessionStorage.getItem(THREAD) ?? crypto.randomUUID());
  const [drawing, setDrawing] = useState<Drawing>();
  const [wanted, setWanted] = useState<"no" | "a token" | "another token">("no");
  const [isListShown, setIsListShown] = useState(false);
  const [me, setMe] = useState<Me>();
  const [upload, setUpload] = useState<Rights["upload"]>(null);
  const [collections, setCollections] = useState<readonly Collection[]>([]);
  const [wish, setWish] = useState(() => collectionOf(list, thread) ?? "");
  // Another user may sign in, who may not choose the same.
  const collection = collections.some(({ name }) => name === wish) ? wish : "";
  const uploads = useUploads(upload, words, collection);

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
        readCollections().then(setCollections, () => {});
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
    if (!drawing) return;
    let isLeft = false;
    // Who may read a document may depend on where it goes. The page works without.
    readRights(collection).then(
      ({ upload }) => isLeft || setUpload(upload),
      () => {},
    );
    return () => {
      isLeft = true;
    };
  }, [drawing, collection]);
  useEffect(() => {
    document.documentElement.lang = words.language;
  }, [words]);

  useEffect(() => sessionStorage.setItem(THREAD, thread), [thread]);
  useEffect(() => {
    const follow = () => {
      const named = viewNamed();
      if (named) setView(named);
      // Other hashes name places on the page.
      else if (location.hash === "") setView((shown) => (shown === "quality" || shown === "source" ? "ask" : shown));
      setPlace(placeNamed());
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    if (view === "quality") import("./quality.js").then(setQuality);
  }, [view]);

  const choose = (name: string) => {
    setWish(name);
    setList(rememberCollection(thread, name));
  };
  const open = (id: string) => {
    setThread(id);
    // A new conversation goes on where the last one was.
    setWish(collectionOf(list, id) ?? collection);
    setView("ask");
    setIsListShown(false);
  };
  const show = (name: typeof view) => {
    setView(name);
    if (viewNamed()) history.pushState(null, "", location.pathname);
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
      {wanted === "no" && view !== "source" && (
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
      ) : view === "source" && place ? (
        <SourcePage key={location.hash} place={place} />
      ) : view === "verify" ? (
        <Verify />
      ) : view === "documents" && upload ? (
        <DocumentsView upload={upload} uploads={uploads}>
          <CollectionChoice
            label={messagesIn(words.language).documents.into}
            none={messagesIn(words.language).documents.intoNone}
            {...{ collections, collection, onChoose: choose }}
          />
        </DocumentsView>
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
            collections={collections}
            collection={collection}
            onCollection={choose}
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

/** The collection that a conversation asks, empty for all documents; undefined if the conversation is not listed. */
function collectionOf(list: readonly Listed[], id: string): string | undefined {
  const listed = list.find((one) => one.id === id);
  return listed && (listed.collection ?? "");
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
