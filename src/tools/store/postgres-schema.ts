import { STORE_VERSION } from "./port.js";

/**
 * The tables of a store in Postgres, in the schema `emend`: those of SQLite (see there what each holds). What is looked up by
 * long texts has a hash index, since a B-tree takes 2,700 bytes at most.
 */
export const POSTGRES_SCHEMA = `
CREATE SCHEMA IF NOT EXISTS emend;
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE emend.documents (
  n BIGSERIAL PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  dated SMALLINT NOT NULL
);
CREATE INDEX documents_name ON emend.documents USING hash (name);
CREATE INDEX documents_dated ON emend.documents (n) WHERE dated = 1;

CREATE TABLE emend.stated (
  n BIGSERIAL PRIMARY KEY,
  pairs TEXT COLLATE "C" NOT NULL,
  EXCLUDE USING hash (pairs WITH =)
);
CREATE TABLE emend.pairs (
  pair TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  stated BIGINT NOT NULL REFERENCES emend.stated ON DELETE CASCADE,
  PRIMARY KEY (pair, stated)
);
CREATE INDEX pairs_key ON emend.pairs (key, stated);
CREATE INDEX pairs_stated ON emend.pairs (stated);

CREATE TABLE emend.passages (
  n BIGSERIAL PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  document BIGINT NOT NULL REFERENCES emend.documents ON DELETE CASCADE,
  position INTEGER NOT NULL,
  language TEXT NOT NULL,
  title TEXT NOT NULL,
  uri TEXT NOT NULL,
  section TEXT NOT NULL,
  reviewed TEXT NOT NULL,
  stated BIGINT REFERENCES emend.stated,
  checksum TEXT NOT NULL,
  text TEXT NOT NULL,
  terms TEXT NOT NULL,
  words TSVECTOR NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(terms, ' '))) STORED
);
CREATE INDEX passages_document ON emend.passages (document, position);
CREATE INDEX passages_language ON emend.passages (language);
CREATE INDEX passages_stated ON emend.passages (stated);
CREATE INDEX passages_words ON emend.passages USING gin (words);

-- Rows are only added, so that nobody waits for another; they are summed up at the end.
CREATE TABLE emend.counts (
  term TEXT COLLATE "C" NOT NULL,
  passages BIGINT NOT NULL,
  length BIGINT NOT NULL
);
CREATE INDEX counts_term ON emend.counts (term);

CREATE TABLE emend.models (
  n BIGSERIAL PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
);
CREATE TABLE emend.means (
  model BIGINT NOT NULL REFERENCES emend.models ON DELETE CASCADE,
  language TEXT NOT NULL,
  vectors BIGINT NOT NULL,
  mean BYTEA NOT NULL,
  PRIMARY KEY (model, language)
);
CREATE TABLE emend.vectors (
  n BIGSERIAL PRIMARY KEY,
  passage BIGINT NOT NULL UNIQUE REFERENCES emend.passages ON DELETE CASCADE,
  model BIGINT NOT NULL REFERENCES emend.models ON DELETE CASCADE,
  language TEXT NOT NULL,
  stated BIGINT,
  embedding HALFVEC NOT NULL
);
CREATE INDEX vectors_model ON emend.vectors (model);

CREATE TABLE emend.edits (
  n BIGSERIAL PRIMARY KEY,
  at TEXT NOT NULL
);

CREATE TABLE emend.sources (
  n BIGSERIAL PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  whole TEXT COLLATE "C" NOT NULL,
  document TEXT NOT NULL,
  title TEXT NOT NULL,
  uri TEXT NOT NULL,
  section TEXT NOT NULL,
  reviewed TEXT NOT NULL,
  hash TEXT NOT NULL,
  stated BIGINT REFERENCES emend.stated,
  triples INTEGER NOT NULL
);
CREATE INDEX sources_whole ON emend.sources USING hash (whole);
CREATE INDEX sources_stated ON emend.sources (stated);

CREATE TABLE emend.entities (
  n BIGSERIAL PRIMARY KEY,
  key TEXT COLLATE "C" NOT NULL,
  terms TEXT NOT NULL,
  words TSVECTOR NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(terms, ' '))) STORED,
  EXCLUDE USING hash (key WITH =)
);
CREATE INDEX entities_words ON emend.entities USING gin (words);
CREATE TABLE emend.triples (
  n BIGSERIAL PRIMARY KEY,
  source BIGINT NOT NULL REFERENCES emend.sources ON DELETE CASCADE,
  subject BIGINT NOT NULL REFERENCES emend.entities,
  predicate TEXT NOT NULL,
  object BIGINT NOT NULL REFERENCES emend.entities,
  subject_name TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  object_name TEXT NOT NULL,
  object_type TEXT NOT NULL,
  quote TEXT NOT NULL,
  checksum TEXT NOT NULL
);
CREATE INDEX triples_source ON emend.triples (source);
CREATE INDEX triples_subject ON emend.triples (subject);
CREATE INDEX triples_object ON emend.triples (object);
CREATE TABLE emend.aliases (
  source BIGINT NOT NULL REFERENCES emend.sources ON DELETE CASCADE,
  entity BIGINT NOT NULL REFERENCES emend.entities,
  alias BIGINT NOT NULL REFERENCES emend.entities,
  PRIMARY KEY (entity, alias, source)
);
CREATE INDEX aliases_alias ON emend.aliases (alias);
CREATE INDEX aliases_source ON emend.aliases (source);

CREATE TABLE emend.steps (
  n BIGSERIAL PRIMARY KEY,
  thread TEXT COLLATE "C" NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  parent TEXT,
  type TEXT NOT NULL,
  state BYTEA NOT NULL,
  metadata_type TEXT NOT NULL,
  metadata BYTEA NOT NULL,
  at BIGINT NOT NULL,
  UNIQUE (thread, namespace, id)
);
CREATE TABLE emend.writes (
  n BIGSERIAL PRIMARY KEY,
  thread TEXT COLLATE "C" NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  task TEXT NOT NULL,
  slot TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  value BYTEA NOT NULL,
  UNIQUE (thread, namespace, id, task, slot)
);
CREATE TABLE emend.said (
  thread TEXT COLLATE "C" NOT NULL,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  message BYTEA NOT NULL,
  PRIMARY KEY (thread, place)
);
CREATE TABLE emend.runs (
  n BIGSERIAL PRIMARY KEY,
  at BIGINT NOT NULL,
  thread TEXT COLLATE "C" NOT NULL,
  scope TEXT NOT NULL,
  question TEXT NOT NULL,
  status TEXT NOT NULL,
  tags TEXT NOT NULL,
  feedback TEXT NOT NULL,
  follow_up SMALLINT NOT NULL,
  drafted INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  milliseconds BIGINT NOT NULL
);
CREATE INDEX runs_at ON emend.runs (at);
CREATE INDEX runs_thread ON emend.runs (thread, question);
CREATE TABLE emend.run_records (
  run BIGINT PRIMARY KEY REFERENCES emend.runs ON DELETE CASCADE,
  record TEXT NOT NULL
);
CREATE TABLE emend.version AS SELECT ${STORE_VERSION} AS version;
`;
