-- The words of all the remembered messages about a file; NULL until they are counted, and again when a commit comes or goes.
CREATE TABLE project_commit_words (
  path TEXT PRIMARY KEY,
  words BLOB
) STRICT;
CREATE INDEX project_commit_words_uncounted ON project_commit_words (path) WHERE words IS NULL;
CREATE INDEX project_commit_files_by_path ON project_commit_files (path);
-- How many messages hold a term.
CREATE VIRTUAL TABLE project_commits_vocabulary USING fts5vocab (project_commits_fts, row);
INSERT INTO project_commit_words (path) SELECT DISTINCT path FROM project_commit_files;
UPDATE project_states SET commits_complete = 0;
