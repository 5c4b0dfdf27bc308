-- Who made vectors: provider/model/dimensions. The generation counts the changes of its vectors and of the chunks that they stand for.
CREATE TABLE semantic_profiles (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What each chunk is embedded as: the hash of that text, whose form is counted, and its class; a chunk of no class is embedded for nobody.
CREATE TABLE semantic_sources (
  chunk INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES project_files (id) ON DELETE CASCADE,
  form INTEGER NOT NULL,
  hash BLOB NOT NULL,
  class INTEGER
) STRICT;
CREATE INDEX semantic_sources_by_file ON semantic_sources (file);
CREATE INDEX semantic_sources_by_hash ON semantic_sources (hash);

-- Vectors of length 1 as half-precision numbers, little-endian.
CREATE TABLE semantic_vectors (
  profile INTEGER NOT NULL REFERENCES semantic_profiles (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (profile, hash)
) STRICT, WITHOUT ROWID;
