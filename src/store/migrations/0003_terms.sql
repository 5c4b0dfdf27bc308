-- The full-text index gives way to an inverted index by file; texts are kept together with their terms' places. What was indexed is read again.
DROP TABLE project_snippets_vocabulary;
DROP TABLE project_snippets_fts;
DROP TABLE project_frequent_terms;
DROP TABLE project_texts;
DROP TABLE project_symbols;
DROP TABLE project_snippets;
ALTER TABLE project_states DROP COLUMN unmerged_chunks;
-- From now on 1 while the pages may still hold copies of rows that were deleted.
UPDATE project_states SET complete = 0, holds_deleted = EXISTS (SELECT 1 FROM project_files);
DELETE FROM project_files;

-- For each term (the number of its hash) the files that hold it: file ids as distances, each with a weight. Blocks are of 1,024 ids; a segment holds the ids
-- from its own number to the next segment's.
CREATE TABLE project_terms (
  segment INTEGER NOT NULL,
  term INTEGER NOT NULL,
  block INTEGER NOT NULL,
  postings BLOB NOT NULL,
  PRIMARY KEY (segment, term, block)
) STRICT, WITHOUT ROWID;

-- The decoded text of each current file, compressed with zstd, and where its terms stand in it.
CREATE TABLE project_texts (
  file INTEGER PRIMARY KEY REFERENCES project_files (id) ON DELETE CASCADE,
  places BLOB NOT NULL,
  text BLOB NOT NULL
) STRICT;

-- Symbols of a file have consecutive ids in the order of the parse.
CREATE TABLE project_symbols (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES project_files (id) ON DELETE CASCADE,
  parent INTEGER,
  -- Its place among all kinds.
  kind INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- 32 bits of the hash of the folded name.
  folded_hash INTEGER NOT NULL,
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
CREATE INDEX project_symbols_by_name ON project_symbols (folded_hash);

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
