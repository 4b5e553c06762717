import { useEffect, useState } from "preact/hooks";
import { Answered } from "./answered.js";
import { CollectionChoice } from "./collection-choice.js";
import { Composer } from "./composer.js";
import { type Listed, listedConversations, rememberConversation } from "./conversations.js";
import { Panel, type Source, SourcePanel } from "./panel.js";
import { RouteView } from "./route.js";
import { type Collection, type Drawing, type ExampleQuestions, examples } from "./server.js";
import { useTalk } from "./talk.js";
import { useWords } from "./words.js";

interface Props {
  thread: string;
  drawing: Drawing | undefined;
  mayUpload: boolean;
  /** Those that can be asked. */
  collections: readonly Collection[];
  /** The name of the one that is asked; empty for all documents. */
  collection: string;
  onCollection: (name: string) => void;
  onListed: (list: Listed[]) => void;
  onTokenWanted: () => void;
}

/** A conversation: its turns, the box for the next question, and beside them what they rest on. */
export function AskView({ thread, drawing, mayUpload, collections, collection, ...props }: Props) {
  const { onCollection, onListed, onTokenWanted } = props;
  const words = useWords();
  const [beside, setBeside] = useState<Source | { routeOf: number }>();
  const talk = useTalk({
    thread,
    isKept: listedConversations().some(({ id }) => id === thread),
    collection,
    onAsked: (question) => onListed(rememberConversation(thread, question, collection)),
    onTokenWanted,
  });
  const { turns, hint, fault, last } = talk;

  function say(text: string, goesOn: boolean) {
    setBeside(undefined);
    talk.say(text, goesOn);
  }

  return (
    <>
      <main class="conversation">
        <div class="turns" ref={talk.box}>
          {turns.length === 0 && (
            <Start
              mayUpload={mayUpload}
              collection={collections.find(({ name }) => name === collection)}
              onAsk={(question) => say(question, false)}
            />
          )}
          {turns.map((turn, i) => (
            <Answered
              key={i}
              turn={turn}
              thread={thread}
              onCited={(quotes) => setBeside({ quotes, computed: turn.computed?.[quotes[0]?.evidenceId ?? ""] })}
              onRoute={() => setBeside({ routeOf: i })}
              onReply={(reply) => say(reply, true)}
            />
          ))}
          {fault && (
            <p class="fault" role="alert">
              {fault}
            </p>
          )}
        </div>
        <CollectionChoice
          label={words.askIn}
          none={words.everywhere}
          {...{ collections, collection, onChoose: onCollection }}
        />
        <Composer
          hint={hint || words.question}
          isRunning={last?.isRunning ?? false}
          isWaiting={last?.waiting?.type === "approve"}
          onSend={(text) => say(text, false)}
          onStop={talk.stop}
        />
        <div class="unseen" role="status">
          {talk.said}
        </div>
      </main>
      {beside && "routeOf" in beside && (
        <Panel title={words.route} onClose={() => setBeside(undefined)}>
          <RouteView turn={turns[beside.routeOf]} drawing={drawing} />
        </Panel>
      )}
      {beside && "quotes" in beside && <SourcePanel source={beside} onClose={() => setBeside(undefined)} />}
    </>
  );
}

interface StartProps {
  mayUpload: boolean;
  /** The one that is asked; undefined for all documents. */
  collection: Collection | undefined;
  onAsk: (question: string) => void;
}

/** An empty conversation: what is stored, what can be asked, and how documents are added. */
function Start({ mayUpload, collection, onAsk }: StartProps) {
  const words = useWords();
  const [found, setFound] = useState<ExampleQuestions>();
  useEffect(() => {
    // The page works without examples, and a missing token is noticed elsewhere.
    let isLeft = false;
    examples(words.language, collection?.name ?? "").then(
      (now) => isLeft || setFound(now),
      () => {},
    );
    return () => {
      isLeft = true;
    };
  }, [words, collection?.name]);
  const { documents = 0, titles = [], questions = [] } = found ?? {};
  return (
    <div class="welcome">
      <h2>{words.welcome}</h2>
      <p>{words.promise}</p>
      {collection?.description && <p>{collection.description}</p>}
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
        {mayUpload ? (
          words.dropToAdd
        ) : (
          <>
            {words.toAdd} <code>{words.addBy}</code>
          </>
        )}
      </p>
    </div>
  );
}
