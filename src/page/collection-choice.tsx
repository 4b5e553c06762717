import type { Collection } from "./server.js";

interface Props {
  label: string;
  /** What the choice of no collection is called. */
  none: string;
  collections: readonly Collection[];
  /** The name of the one that is chosen; empty for none. */
  collection: string;
  onChoose: (name: string) => void;
}

/** A choice of a collection; nothing where there are none. */
export function CollectionChoice({ label, none, collections, collection, onChoose }: Props) {
  if (collections.length === 0) return null;
  return (
    <label class="collection">
      {label}
      <select value={collection} onChange={({ currentTarget: { value } }) => onChoose(value)}>
        <option value="">{none}</option>
        {collections.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
