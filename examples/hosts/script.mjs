// A script: `node script.mjs PROJECT REQUEST` prints where the answer is, and the messages that a model would get.
import { openProject } from 'pi-context-engine';

const [path, text] = process.argv.slice(2);
// Whoever names a folder on a command line trusts it. A program that is handed one asks first.
const project = await openProject({ path, trusted: true });
try {
  const { indexed, unchanged } = await project.sync();
  console.error(`${indexed + unchanged} files in the index`);
  const { messages } = await project.retrieve({ text, maxResults: 4, maxTokens: 4_000 });
  for (const { snippet } of messages) console.log(`${snippet.path}:${snippet.startLine}-${snippet.endLine}`);
  // Each is for a message of the role `user`, right before the request, as it is.
  for (const message of messages) console.log(`\n${message.text}`);
} finally {
  await project.close();
}
