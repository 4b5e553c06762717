import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messagesIn } from "../answer/messages/index.js";
import { Original } from "./original.js";
import { deleteDocument, type ListedDocument, type Rights } from "./server.js";
import type { Added, PageUploads } from "./uploads.js";
import { useWords } from "./words.js";

interface Props {
  upload: NonNullable<Rights["upload"]>;
  uploads: PageUploads;
  /** What is chosen before anything is sent. */
  children: ComponentChildren;
}

/** Adds documents, shows what becomes of them, and lists and deletes those that there are. */
export function DocumentsView({ upload, uploads, children }: Props) {
  const { language } = useWords();
  const words = messagesIn(language).documents;
  const { added, listed, next, fault } = uploads;
  const [said, setSaid] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    uploads.refresh();
  }, []);

  async function remove({ id, title }: ListedDocument) {
    if (!confirm(words.removeSure(title))) return;
    try {
      await deleteDocument(id);
      uploads.forget(id);
      setSaid(words.removed(title));
      // The button that had the focus is gone.
      main.current?.focus();
    } catch (error) {
      uploads.failed(error);
    }
  }

  const isAdded = new Set(added.map(({ document }) => document?.id));
  const others = listed?.filter(({ id }) => !isAdded.has(id)) ?? [];
  return (
    <main class="documents" tabIndex={-1} ref={main}>
      <h2>{words.title}</h2>
      {children}
      {upload.scope.map(({ key, values }) => (
        <label key={key}>
          {words.readers(key)}
          <select
            value={uploads.readers.find((one) => one.key === key)?.values[0] ?? ""}
            onChange={({ currentTarget: { value } }) =>
              uploads.setReaders((all) => [
                ...all.filter((one) => one.key !== key),
                ...(value === "" ? [] : [{ key, values: [value] }]),
              ])
            }
          >
            <option value="">{words.chooseReaders}</option>
            {values.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </select>
        </label>
      ))}
      <div class="drop">
        <p>{words.drop}</p>
        <button id="question" type="button" onClick={() => picker.current?.click()}>
          {words.choose}
        </button>
        <input
          ref={picker}
          type="file"
          hidden
          multiple
          accept={upload.extensions.map((extension) => `.${extension}`).join(",")}
          onChange={({ currentTarget }) => {
            uploads.add(Array.from(currentTarget.files ?? [], (file) => ({ file, isFolder: false })));
            // So that the same file can be chosen again.
            currentTarget.value = "";
          }}
        />
        <p class="hint">{words.hint(Math.floor(upload.bytes / 1024 / 1024))}</p>
      </div>
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <div class="unseen" role="status">
        {said}
      </div>
      {added.length > 0 && <JustAdded uploads={uploads} onRemove={remove} />}
      {listed?.length === 0 && added.length === 0 && <p class="hint">{words.noneYet}</p>}
      {others.length > 0 && (
        <section>
          <h3>{words.all}</h3>
          <ul>
            {others.map((one) => (
              <Entry key={one.id} title={one.title} place={calledOf(one)} one={one} document={one} onRemove={remove} />
            ))}
          </ul>
          {next && (
            <button type="button" class="second" onClick={uploads.more}>
              {words.more}
            </button>
          )}
        </section>
      )}
    </main>
  );
}

/** The files that were added on this page, with a sum that a screen reader says as it changes. */
function JustAdded({ uploads, onRemove }: { uploads: PageUploads; onRemove: (document: ListedDocument) => void }) {
  const { language } = useWords();
  const words = messagesIn(language).documents;
  const { added, dismiss } = uploads;
  const read = added.filter(({ state }) => state === "ready").length;
  const failed = added.filter(({ state }) => state === "failed").length;
  return (
    <section>
      <h3>{words.sent}</h3>
      <p class="sum" role="status">
        {words.sum(read, failed, added.length - read - failed)}
      </p>
      <progress max={added.length} value={read + failed} aria-hidden="true" />
      <ul>
        {added.map((one) => (
          <Entry
            key={one.key}
            title={one.document?.title ?? one.name}
            place={one.name}
            one={one}
            document={one.document}
            onRemove={onRemove}
            onDismiss={() => dismiss(one.key)}
          />
        ))}
      </ul>
    </section>
  );
}

/** The id of a document without what uploads have before it. */
const calledOf = ({ id }: ListedDocument) => id.replace(/^upload:(?:[0-9a-f]{8}\/)?/, "");

interface EntryProps {
  title: string;
  /** Where it is, or what its file is called. */
  place: string;
  one: Pick<Added, "state" | "reason"> & Partial<Added>;
  /** Absent if the server has none. */
  document: ListedDocument | undefined;
  onRemove: (document: ListedDocument) => void;
  onDismiss?: () => void;
}

function Entry({ title, place, one, document, onRemove, onDismiss }: EntryProps) {
  const { language } = useWords();
  const words = messagesIn(language).documents;
  const [fault, setFault] = useState("");
  const { state, reason, share = 0, bytes, name, isOld } = one;
  const said =
    state === "sending"
      ? words.sending(Math.round(share * 100))
      : state === "ready"
        ? words.ready(document?.passages ?? 0)
        : words[state];
  const called = document ? calledOf(document) : "";
  const isRenamed = name !== undefined && called !== name && / \(\d+\)(?:\.[^.]+)?$/.test(called);
  const idle = state === "ready" || state === "failed";
  return (
    <li class={idle ? state : "open"}>
      <div>
        <p class="title">{title}</p>
        <p class="hint">
          <span class="state">{said}</span>
          {[...(bytes ? [words.megabytes(bytes)] : []), ...(place.startsWith(title) ? [] : [place])].map((part) => (
            <span key={part}> · {part}</span>
          ))}
        </p>
        {reason && (
          <p class="fault">
            {reason} {document && document.passages > 0 && words.stays}
          </p>
        )}
        {isOld && <p class="hint">{words.unchanged}</p>}
        {isRenamed && <p class="hint">{words.renamed(called)}</p>}
        {fault && <p class="fault">{fault}</p>}
      </div>
      <p class="buttons">
        {document?.original && <Original documentId={document.id} onFault={setFault} />}
        {document?.uploaded && idle && (
          <button type="button" class="quiet" aria-label={words.removeNamed(title)} onClick={() => onRemove(document)}>
            {words.remove}
          </button>
        )}
        {!document && idle && onDismiss && (
          <button type="button" class="quiet" aria-label={words.dismiss(title)} onClick={onDismiss}>
            ×
          </button>
        )}
      </p>
    </li>
  );
}
