-- The index holds no text of the project any more: what it knows of a file is where its terms and declarations stand. What was indexed is read again.
DROP TABLE project_texts;
DROP TABLE project_parses;
DROP TABLE project_symbols;
DROP TABLE project_snippets;
UPDATE project_states SET complete = 0, holds_deleted = holds_deleted OR EXISTS (SELECT 1 FROM project_files);
DELETE FROM project_terms;
DELETE FROM project_files;
-- Ids of a file's symbols and chunks run from these on, as far as their counts say; a stale file has no symbols any more.
ALTER TABLE project_files ADD COLUMN first_symbol INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project_files ADD COLUMN first_snippet INTEGER NOT NULL DEFAULT 0;

-- Where the terms of each current file stand.
CREATE TABLE project_places (
  file INTEGER PRIMARY KEY REFERENCES project_files (id) ON DELETE CASCADE,
  places BLOB NOT NULL
) STRICT;

-- Symbols of a file have consecutive ids in the order of the parse. An index of them by file would be larger than the two numbers in the files' rows.
CREATE TABLE project_symbols (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  parent INTEGER,
  -- Its place among all kinds.
  kind INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- 32 bits of the hash of the folded name.
  folded_hash INTEGER NOT NULL,
  -- NULL where it is the name below the parent's qualified name.
  qualified_name TEXT,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  doc_start_byte INTEGER,
  doc_end_byte INTEGER,
  doc_start_line INTEGER,
  doc_end_line INTEGER,
  exported INTEGER NOT NULL,
  -- 1 where it only gives its name to what stands elsewhere.
  elsewhere INTEGER NOT NULL
) STRICT;
CREATE INDEX project_symbols_by_name ON project_symbols (folded_hash);

-- Chunks of a file have consecutive ids in the order of their start. Those of a stale file keep offsets and kinds only.
CREATE TABLE project_snippets (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  start_byte INTEGER NOT NULL,
  end_byte INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  -- The symbol that it is (a part of), and the place of its kind among all kinds.
  symbol INTEGER,
  kind INTEGER
) STRICT;

-- Parses by 128 bits of the hash of their text and parser, without text: offsets and kinds.
CREATE TABLE project_parses (
  key BLOB PRIMARY KEY,
  parse BLOB NOT NULL,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
