-- Messages of commits were cut in the midst of a word, which could leave a part of a secret: they are read again.
DELETE FROM project_commits_fts;
DELETE FROM project_commit_files;
DELETE FROM project_commits;
DELETE FROM project_commit_renames;
INSERT INTO project_commits_fts (project_commits_fts) VALUES ('optimize');
UPDATE project_states SET holds_deleted = holds_deleted OR commits_head IS NOT NULL, commits_head = NULL, commits_complete = 0;
