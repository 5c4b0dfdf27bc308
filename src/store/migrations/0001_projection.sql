-- Times are milliseconds since the epoch unless a name says `_ns`. Bytes are offsets into a file's decoded text, lines are 1-based and inclusive.

CREATE TABLE project_states (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  project TEXT NOT NULL,
  git_root TEXT,
  git_branch TEXT,
  git_head TEXT,
  changed TEXT NOT NULL DEFAULT '[]',
  indexed_at INTEGER NOT NULL DEFAULT 0,
  listed INTEGER NOT NULL DEFAULT 0,
  complete INTEGER NOT NULL DEFAULT 0,
  -- Counts commits: a writer that finds another number than it left knows that somebody else wrote.
  generation INTEGER NOT NULL DEFAULT 0,
  -- The form of the full-text rows; deletion is only exact for rows of the present form.
  index_version INTEGER NOT NULL,
  -- Chunks inserted since the full-text index was last merged into one segment and its frequent terms counted.
  unmerged_chunks INTEGER NOT NULL DEFAULT 0,
  -- 1 while the full-text index may still hold terms of deleted chunks.
  holds_deleted INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE project_files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  -- 0 current, 1 refused, 2 stale.
  state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
  rule TEXT,
  hash BLOB,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  device INTEGER NOT NULL,
  language TEXT,
  tracked INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  generated INTEGER NOT NULL DEFAULT 0,
  lines INTEGER NOT NULL DEFAULT 0,
  text_bytes INTEGER NOT NULL DEFAULT 0,
  snippets INTEGER NOT NULL DEFAULT 0,
  symbols INTEGER NOT NULL DEFAULT 0,
  -- When it was indexed, refused or became stale.
  indexed_at INTEGER NOT NULL,
  read_at INTEGER NOT NULL,
  rules BLOB NOT NULL,
  -- The folded base name, with and without its extension.
  name TEXT,
  stem TEXT
) STRICT;
CREATE INDEX project_files_by_state ON project_files (state, snippets, symbols, text_bytes);
CREATE INDEX project_files_by_name ON project_files (name) WHERE state = 0;
CREATE INDEX project_files_by_stem ON project_files (stem) WHERE state = 0;
CREATE INDEX project_files_stale ON project_files (indexed_at) WHERE state = 2;

-- The decoded text of each current file, compressed with zstd.
CREATE TABLE project_texts (
  file INTEGER PRIMARY KEY REFERENCES project_files (id) ON DELETE CASCADE,
  text BLOB NOT NULL
) STRICT;

-- Symbols of a file have consecutive ids in the order of the parse.
CREATE TABLE project_symbols (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES project_files (id) ON DELETE CASCADE,
  parent INTEGER,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  folded TEXT NOT NULL,
  -- NULL where it is the name below the parent's qualified name.
  qualified_name TEXT,
  -- Where the signature stands in the text; itself only where it does not stand there.
  signature_start_byte INTEGER,
  signature_end_byte INTEGER,
  signature TEXT,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  doc_start_byte INTEGER,
  doc_end_byte INTEGER,
  doc_start_line INTEGER,
  doc_end_line INTEGER,
  exported INTEGER NOT NULL
) STRICT;
CREATE INDEX project_symbols_by_file ON project_symbols (file);
CREATE INDEX project_symbols_by_name ON project_symbols (folded);

-- Chunks of a file have consecutive ids in the order of their start. Those of a stale file keep offsets and kinds only.
CREATE TABLE project_snippets (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES project_files (id) ON DELETE CASCADE,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  kind TEXT,
  symbol INTEGER,
  -- The ids of the symbols that it declares, as postcard offsets from the file's first symbol; NULL for none.
  declares BLOB
) STRICT;
CREATE INDEX project_snippets_by_file ON project_snippets (file);

-- Fed with terms, not text; a row is deleted by the 'delete' command with the very terms that were inserted.
CREATE VIRTUAL TABLE project_snippets_fts USING fts5 (path, symbols, body, content = '', tokenize = "ascii tokenchars '_'");
INSERT INTO project_snippets_fts (project_snippets_fts, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE project_snippets_vocabulary USING fts5vocab (project_snippets_fts, row);

-- Exact chunk counts of terms whose count in the vocabulary would take too long.
CREATE TABLE project_frequent_terms (
  term TEXT PRIMARY KEY,
  snippets INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Parses by content, without text: offsets and kinds.
CREATE TABLE project_parses (
  id INTEGER PRIMARY KEY,
  text_hash BLOB NOT NULL,
  parser TEXT NOT NULL,
  parse BLOB NOT NULL,
  used_at INTEGER NOT NULL,
  UNIQUE (text_hash, parser)
) STRICT;
CREATE INDEX project_parses_by_use ON project_parses (used_at);

CREATE TABLE context_manifests (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  manifest TEXT NOT NULL,
  completed_at INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER
) STRICT;
CREATE INDEX context_manifests_by_age ON context_manifests (created_at);
