/** The tables of a store in SQLite. `PRAGMA user_version` is STORE_VERSION. */
export const SQLITE_SCHEMA = `
CREATE TABLE documents (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  -- The last part of the id, and whether that has a version or a date.
  name TEXT NOT NULL,
  dated INTEGER NOT NULL
);
CREATE INDEX documents_name ON documents (name);
CREATE INDEX documents_dated ON documents (n) WHERE dated = 1;

-- What documents state about themselves, each combination once; its pairs such as key=value.
CREATE TABLE stated (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  pairs TEXT NOT NULL UNIQUE
);
CREATE TABLE pairs (
  pair TEXT NOT NULL,
  key TEXT NOT NULL,
  stated INTEGER NOT NULL REFERENCES stated ON DELETE CASCADE,
  PRIMARY KEY (pair, stated)
) WITHOUT ROWID;
CREATE INDEX pairs_key ON pairs (key, stated);
CREATE INDEX pairs_stated ON pairs (stated);

CREATE TABLE passages (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  position INTEGER NOT NULL,
  language TEXT NOT NULL,
  title TEXT NOT NULL,
  uri TEXT NOT NULL,
  section TEXT NOT NULL,
  reviewed TEXT NOT NULL,
  -- Null if nobody knows.
  stated INTEGER REFERENCES stated,
  checksum TEXT NOT NULL,
  text TEXT NOT NULL,
  terms TEXT NOT NULL
);
CREATE INDEX passages_document ON passages (document, position);
CREATE INDEX passages_language ON passages (language);
CREATE INDEX passages_stated ON passages (stated);
CREATE VIRTUAL TABLE passages_terms USING fts5 (terms, content = passages, content_rowid = n, ${tokenize()});
CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
  INSERT INTO passages_terms (rowid, terms) VALUES (new.n, new.terms);
END;
CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
  INSERT INTO passages_terms (passages_terms, rowid, terms) VALUES ('delete', old.n, old.terms);
END;

-- The number of passages with a term; of the empty term that of all passages, and their length in terms.
CREATE TABLE counts (
  term TEXT PRIMARY KEY,
  passages INTEGER NOT NULL,
  length INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE models (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  identity TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
);
-- The mean vector of a language, from a sample of as many as there were at that time.
CREATE TABLE means (
  model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
  language TEXT NOT NULL,
  vectors INTEGER NOT NULL,
  mean BLOB NOT NULL,
  PRIMARY KEY (model, language)
) WITHOUT ROWID;
CREATE TABLE vectors (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  passage INTEGER NOT NULL UNIQUE REFERENCES passages ON DELETE CASCADE,
  model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
  -- As its passage has them.
  language TEXT NOT NULL,
  stated INTEGER,
  embedding BLOB NOT NULL
);
CREATE INDEX vectors_model ON vectors (model);

-- One row for every write of documents.
CREATE TABLE edits (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL
);

CREATE TABLE sources (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  -- What the source is a part of: a document, a loaded file.
  whole TEXT NOT NULL,
  document TEXT NOT NULL,
  title TEXT NOT NULL,
  uri TEXT NOT NULL,
  section TEXT NOT NULL,
  reviewed TEXT NOT NULL,
  hash TEXT NOT NULL,
  stated INTEGER REFERENCES stated,
  triples INTEGER NOT NULL
);
CREATE INDEX sources_whole ON sources (whole);
CREATE INDEX sources_stated ON sources (stated);

-- Names and aliases, normalised; the terms that find one when it is misspelt.
CREATE TABLE entities (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  terms TEXT NOT NULL
);
CREATE VIRTUAL TABLE entities_terms USING fts5 (terms, content = entities, content_rowid = n, ${tokenize()});
CREATE TRIGGER entities_added AFTER INSERT ON entities BEGIN
  INSERT INTO entities_terms (rowid, terms) VALUES (new.n, new.terms);
END;
CREATE TRIGGER entities_removed AFTER DELETE ON entities BEGIN
  INSERT INTO entities_terms (entities_terms, rowid, terms) VALUES ('delete', old.n, old.terms);
END;
CREATE TABLE triples (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  subject INTEGER NOT NULL REFERENCES entities,
  predicate TEXT NOT NULL,
  object INTEGER NOT NULL REFERENCES entities,
  -- As the source writes them.
  subject_name TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  object_name TEXT NOT NULL,
  object_type TEXT NOT NULL,
  quote TEXT NOT NULL,
  checksum TEXT NOT NULL
);
CREATE INDEX triples_source ON triples (source);
CREATE INDEX triples_subject ON triples (subject, predicate);
CREATE INDEX triples_object ON triples (object, predicate);
CREATE INDEX triples_types ON triples (subject_type, predicate, object_type);
CREATE TABLE aliases (
  source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  entity INTEGER NOT NULL REFERENCES entities,
  alias INTEGER NOT NULL REFERENCES entities,
  PRIMARY KEY (entity, alias, source)
) WITHOUT ROWID;
CREATE INDEX aliases_alias ON aliases (alias);
CREATE INDEX aliases_source ON aliases (source);

-- What LangGraph stores of conversations.
CREATE TABLE steps (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  thread TEXT NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  parent TEXT,
  type TEXT NOT NULL,
  state BLOB NOT NULL,
  metadata_type TEXT NOT NULL,
  metadata BLOB NOT NULL,
  -- Milliseconds since 1970.
  at INTEGER NOT NULL,
  UNIQUE (thread, namespace, id)
);
CREATE TABLE writes (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  thread TEXT NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  task TEXT NOT NULL,
  slot TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  value BLOB NOT NULL,
  UNIQUE (thread, namespace, id, task, slot)
);
CREATE TABLE said (
  thread TEXT NOT NULL,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  message BLOB NOT NULL,
  PRIMARY KEY (thread, place)
) WITHOUT ROWID;
-- What is counted of runs, apart from their records, which are long. All of it goes with its conversation.
CREATE TABLE runs (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Milliseconds since 1970.
  at INTEGER NOT NULL,
  thread TEXT NOT NULL,
  scope TEXT NOT NULL,
  -- Its hash.
  question TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Failure tags, each between spaces.
  tags TEXT NOT NULL,
  feedback TEXT NOT NULL,
  follow_up INTEGER NOT NULL,
  drafted INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL
);
CREATE INDEX runs_at ON runs (at);
CREATE INDEX runs_thread ON runs (thread, question);
CREATE TABLE run_records (
  run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  record TEXT NOT NULL
);
`;

/** Terms are cut already: everything but white space belongs to one, and nothing is folded. */
function tokenize(): string {
  return `tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cc Cf Cn'"`;
}
