-- The commit up to which past commits are remembered, and whether all that are wanted are.
ALTER TABLE project_states ADD COLUMN commits_head TEXT;
ALTER TABLE project_states ADD COLUMN commits_complete INTEGER NOT NULL DEFAULT 0;

-- Past commits of the branch. Those that say nothing of a file (large ones, those with a secret in their message) are known by their hash alone.
CREATE TABLE project_commits (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  -- Files that it touched, here or not.
  files INTEGER NOT NULL
) STRICT;

-- The present names of the files that a commit touched.
CREATE TABLE project_commit_files (
  commit_id INTEGER NOT NULL REFERENCES project_commits (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  PRIMARY KEY (commit_id, path)
) STRICT, WITHOUT ROWID;

-- Earlier names of files.
CREATE TABLE project_commit_renames (
  old TEXT PRIMARY KEY,
  new TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The terms of messages.
CREATE VIRTUAL TABLE project_commits_fts USING fts5 (subject, body, tokenize = "ascii tokenchars '_'");
