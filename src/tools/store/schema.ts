import { STORE_VERSION } from "./port.js";

/** The SQL that differs between the engines in the tables of a store. */
interface Engine {
  /** The type of a row's own number, which is its primary key. */
  id: string;
  /** The type of a whole number that may be large, such as the number of another row. */
  number: string;
  /** The type of a text that is compared and sorted byte by byte. */
  key: string;
  bytes: string;
  vector: string;
  /** The clause after the columns of a table whose rows are only found by their key. */
  byKey: string;
  /** The kind of an index on long texts. An entry of a B-tree in Postgres has at most 2,700 bytes. */
  hash: string;
  /** A constraint: the texts of a column are unique, however long they are. */
  unique: (column: string) => string;
  /** The columns for finding a row by its terms. */
  words: string;
  /** The index that finds rows by their terms. */
  finding: (table: string) => string;
  /** The table with the number of passages that contain each term. The empty term counts all passages and all terms. */
  counts: string;
  /** The indexes that find triples by subject and object. In Postgres, a predicate may be too long for an index. */
  triples: string;
}

/** The tables and their indexes. */
const schema = ({ id, number, key, bytes, vector, byKey, hash, unique, words, finding, counts, triples }: Engine) => `
CREATE TABLE emend.documents (
  n ${id},
  id ${key} NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  -- The last part of the id; 1 if the id ends with a version or a date.
  name ${key} NOT NULL,
  dated INTEGER NOT NULL
);
CREATE INDEX documents_name ON emend.documents ${hash} (name);
CREATE INDEX documents_dated ON emend.documents (n) WHERE dated = 1;

-- Metadata of documents and facts, each combination once, and its pairs such as key=value.
CREATE TABLE emend.stated (
  n ${id},
  pairs ${key} NOT NULL,
  checksum TEXT NOT NULL,
  ${unique("pairs")}
);
CREATE TABLE emend.pairs (
  pair ${key} NOT NULL,
  key ${key} NOT NULL,
  stated ${number} NOT NULL REFERENCES emend.stated ON DELETE CASCADE,
  PRIMARY KEY (pair, stated)
) ${byKey};
CREATE INDEX pairs_key ON emend.pairs (key, stated);
CREATE INDEX pairs_stated ON emend.pairs (stated);

CREATE TABLE emend.passages (
  n ${id},
  id ${key} NOT NULL UNIQUE,
  document ${number} NOT NULL REFERENCES emend.documents ON DELETE CASCADE,
  position INTEGER NOT NULL,
  language TEXT NOT NULL,
  title TEXT NOT NULL,
  uri TEXT NOT NULL,
  section TEXT NOT NULL,
  reviewed TEXT NOT NULL,
  -- Null if the metadata is unknown.
  stated ${number} REFERENCES emend.stated,
  checksum TEXT NOT NULL,
  text TEXT NOT NULL,
  ${words}
);
CREATE INDEX passages_document ON emend.passages (document, position);
CREATE INDEX passages_language ON emend.passages (language);
CREATE INDEX passages_stated ON emend.passages (stated);
${finding("passages")}
${counts}

CREATE TABLE emend.models (
  n ${id},
  identity TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
);
-- The mean vector of each language, and the number of all vectors when it was computed.
CREATE TABLE emend.means (
  model ${number} NOT NULL REFERENCES emend.models ON DELETE CASCADE,
  language TEXT NOT NULL,
  vectors ${number} NOT NULL,
  mean ${bytes} NOT NULL,
  PRIMARY KEY (model, language)
) ${byKey};
CREATE TABLE emend.vectors (
  n ${id},
  passage ${number} NOT NULL UNIQUE REFERENCES emend.passages ON DELETE CASCADE,
  model ${number} NOT NULL REFERENCES emend.models ON DELETE CASCADE,
  -- Copied from the passage.
  language TEXT NOT NULL,
  stated ${number},
  embedding ${vector} NOT NULL
);
CREATE INDEX vectors_model ON emend.vectors (model);

-- The tables in the texts of documents. What is read of each one that a search finds comes first; its rows, packed, last.
CREATE TABLE emend.tables (
  n ${id},
  id ${key} NOT NULL UNIQUE,
  document ${number} NOT NULL REFERENCES emend.documents ON DELETE CASCADE,
  stated ${number} REFERENCES emend.stated,
  checksum TEXT NOT NULL,
  head TEXT NOT NULL,
  ${words},
  content ${bytes} NOT NULL
);
CREATE INDEX tables_document ON emend.tables (document);
CREATE INDEX tables_stated ON emend.tables (stated);
${finding("tables")}

-- One row for every write of documents, vectors or facts.
CREATE TABLE emend.edits (
  n ${id},
  at TEXT NOT NULL
);

CREATE TABLE emend.sources (
  n ${id},
  id ${key} NOT NULL UNIQUE,
  -- The document or loaded file that the source is a part of.
  whole ${key} NOT NULL,
  document TEXT NOT NULL,
  title TEXT NOT NULL,
  uri TEXT NOT NULL,
  section TEXT NOT NULL,
  reviewed TEXT NOT NULL,
  hash TEXT NOT NULL,
  stated ${number} REFERENCES emend.stated,
  triples INTEGER NOT NULL,
  checksum TEXT NOT NULL
);
CREATE INDEX sources_whole ON emend.sources ${hash} (whole);
CREATE INDEX sources_stated ON emend.sources (stated);

-- Normalised names and aliases, with terms that find them when they are misspelt.
CREATE TABLE emend.entities (
  n ${id},
  key ${key} NOT NULL,
  ${words},
  ${unique("key")}
);
${finding("entities")}
CREATE TABLE emend.triples (
  n ${id},
  source ${number} NOT NULL REFERENCES emend.sources ON DELETE CASCADE,
  subject ${number} NOT NULL REFERENCES emend.entities,
  predicate TEXT NOT NULL,
  object ${number} NOT NULL REFERENCES emend.entities,
  -- Names and types as written in the source.
  subject_name TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  object_name TEXT NOT NULL,
  object_type TEXT NOT NULL,
  quote TEXT NOT NULL,
  checksum TEXT NOT NULL
);
CREATE INDEX triples_source ON emend.triples (source);
${triples}
CREATE TABLE emend.aliases (
  source ${number} NOT NULL REFERENCES emend.sources ON DELETE CASCADE,
  entity ${number} NOT NULL REFERENCES emend.entities,
  alias ${number} NOT NULL REFERENCES emend.entities,
  PRIMARY KEY (entity, alias, source)
) ${byKey};
CREATE INDEX aliases_alias ON emend.aliases (alias);
CREATE INDEX aliases_source ON emend.aliases (source);

-- Conversations: checkpoints of LangGraph, their pending writes, and all messages.
CREATE TABLE emend.steps (
  n ${id},
  thread ${key} NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  parent TEXT,
  type TEXT NOT NULL,
  state ${bytes} NOT NULL,
  metadata_type TEXT NOT NULL,
  metadata ${bytes} NOT NULL,
  -- Milliseconds since 1970.
  at ${number} NOT NULL,
  UNIQUE (thread, namespace, id)
);
CREATE TABLE emend.writes (
  n ${id},
  thread ${key} NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  task TEXT NOT NULL,
  slot TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  value ${bytes} NOT NULL,
  UNIQUE (thread, namespace, id, task, slot)
);
CREATE TABLE emend.said (
  thread ${key} NOT NULL,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  message ${bytes} NOT NULL,
  PRIMARY KEY (thread, place)
) ${byKey};

-- The columns of runs that are counted, apart from their long records. Deleted with the conversation.
CREATE TABLE emend.runs (
  n ${id},
  -- Milliseconds since 1970.
  at ${number} NOT NULL,
  thread ${key} NOT NULL,
  scope TEXT NOT NULL,
  -- The hash of the question.
  question TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Failure tags, each with a space on both sides.
  tags TEXT NOT NULL,
  -- 1 if another document could have helped.
  lacking INTEGER NOT NULL,
  feedback TEXT NOT NULL,
  -- 1 if a source or a model failed.
  faults INTEGER NOT NULL,
  follow_up INTEGER NOT NULL,
  drafted INTEGER NOT NULL,
  quoted INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens ${number} NOT NULL,
  output_tokens ${number} NOT NULL,
  milliseconds ${number} NOT NULL
);
CREATE INDEX runs_at ON emend.runs (at, milliseconds);
CREATE INDEX runs_thread ON emend.runs (thread, question);
CREATE INDEX runs_answered ON emend.runs (question, n) WHERE status = 'answered';
CREATE INDEX runs_lacking ON emend.runs (at, question, n) WHERE lacking = 1;
CREATE INDEX runs_tagged ON emend.runs (at, tags) WHERE tags <> '  ';
CREATE INDEX runs_disliked ON emend.runs (at) WHERE feedback = 'down';
CREATE TABLE emend.run_records (
  run ${number} PRIMARY KEY REFERENCES emend.runs ON DELETE CASCADE,
  record TEXT NOT NULL
);
-- The documents that the answer of a run cites.
CREATE TABLE emend.run_documents (
  run ${number} NOT NULL REFERENCES emend.runs ON DELETE CASCADE,
  document ${key} NOT NULL,
  PRIMARY KEY (run, document)
) ${byKey};
CREATE INDEX run_documents_document ON emend.run_documents (document, run);
-- The documents that the answer of a run shows to disagree with each other.
CREATE TABLE emend.run_disagreements (
  run ${number} NOT NULL REFERENCES emend.runs ON DELETE CASCADE,
  newer ${key} NOT NULL,
  older ${key} NOT NULL,
  PRIMARY KEY (run, newer, older)
) ${byKey};

-- The last opinion on each answer, and reviews of runs. Deleted with the conversation.
CREATE TABLE emend.feedback (
  n ${id},
  id ${key} NOT NULL UNIQUE,
  thread ${key} NOT NULL,
  record TEXT NOT NULL
);
CREATE INDEX feedback_thread ON emend.feedback (thread);

-- How chat models did on labelled rows.
CREATE TABLE emend.trials (
  key ${key} PRIMARY KEY,
  result TEXT NOT NULL
) ${byKey};

-- Files that clients sent.
CREATE TABLE emend.uploads (
  n ${id},
  document ${key} NOT NULL UNIQUE,
  file TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  -- The server that has the file, and until when it is sure to run, in milliseconds since 1970.
  owner TEXT NOT NULL,
  owned_until ${number} NOT NULL,
  record TEXT NOT NULL
);
CREATE INDEX uploads_state ON emend.uploads (state);

-- Secrets that let somebody in, by their hashes: tokens of \`emend token\`, and sessions of the page.
CREATE TABLE emend.passes (
  hash ${key} PRIMARY KEY,
  -- The name of a token; empty for a session.
  name ${key} NOT NULL,
  -- Milliseconds since 1970; null if it has no end.
  ends ${number},
  -- The day of the last use, such as 2026-01-31; empty before the first.
  used TEXT NOT NULL,
  record TEXT NOT NULL
) ${byKey};
CREATE INDEX passes_name ON emend.passes (name);

-- The alerts that are raised.
CREATE TABLE emend.alerts (
  name ${key} PRIMARY KEY
) ${byKey};
`;

/** The terms are already separated by spaces, so only white space splits them, and nothing is folded. */
const TOKENIZE = `tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cc Cf Cn'"`;

/** The tables in SQLite. `PRAGMA user_version` holds their version. */
export const SQLITE_SCHEMA = `${schema({
  id: "INTEGER PRIMARY KEY AUTOINCREMENT",
  number: "INTEGER",
  key: "TEXT",
  bytes: "BLOB",
  vector: "BLOB",
  byKey: "WITHOUT ROWID",
  hash: "",
  unique: (column) => `UNIQUE (${column})`,
  words: "terms TEXT NOT NULL",
  finding: (table) => `
CREATE VIRTUAL TABLE ${table}_terms USING fts5 (terms, content = ${table}, content_rowid = n, ${TOKENIZE});
CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} BEGIN
  INSERT INTO ${table}_terms (rowid, terms) VALUES (new.n, new.terms);
END;
CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} BEGIN
  INSERT INTO ${table}_terms (${table}_terms, rowid, terms) VALUES ('delete', old.n, old.terms);
END;`,
  counts: `
CREATE TABLE counts (
  term TEXT PRIMARY KEY,
  passages INTEGER NOT NULL,
  length INTEGER NOT NULL
) WITHOUT ROWID;`,
  triples: `CREATE INDEX triples_subject ON triples (subject, predicate);
CREATE INDEX triples_object ON triples (object, predicate);
CREATE INDEX triples_types ON triples (subject_type, predicate, object_type);`,
}).replaceAll("emend.", "")}
PRAGMA user_version = ${STORE_VERSION};`;

/** The tables in Postgres, in the schema `emend`. The table `version` holds their version. */
export const POSTGRES_SCHEMA = `CREATE SCHEMA IF NOT EXISTS emend;
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
${schema({
  id: "BIGSERIAL PRIMARY KEY",
  number: "BIGINT",
  key: 'TEXT COLLATE "C"',
  bytes: "BYTEA",
  vector: "HALFVEC",
  byKey: "",
  hash: "USING hash",
  unique: (column) => `EXCLUDE USING hash (${column} WITH =)`,
  words: `terms TEXT NOT NULL,
  words TSVECTOR NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(terms, ' '))) STORED,
  size INTEGER NOT NULL GENERATED ALWAYS AS (length(array_to_tsvector(string_to_array(terms, ' ')))) STORED`,
  finding: (table) => `CREATE INDEX ${table}_words ON emend.${table} USING gin (words);`,
  // Rows are only added, so that writers do not wait for each other. Maintenance sums them up.
  counts: `
CREATE TABLE emend.counts (
  term TEXT COLLATE "C" NOT NULL,
  passages BIGINT NOT NULL,
  length BIGINT NOT NULL
);
CREATE INDEX counts_term ON emend.counts (term);`,
  triples: `CREATE INDEX triples_subject ON emend.triples (subject);
CREATE INDEX triples_object ON emend.triples (object);`,
})}
CREATE TABLE emend.version AS SELECT ${STORE_VERSION} AS version;`;
