// The same from CommonJS.
const { openProject } = require('pi-context-engine');

async function main([path, text]) {
  const project = await openProject({ path, trusted: true });
  try {
    await project.sync();
    const { messages, manifest } = await project.retrieve({ text });
    console.log(messages.map(({ snippet }) => `${snippet.path}:${snippet.startLine}-${snippet.endLine}`).join('\n'));
    // The manifest tells what was taken and why, without the text: it can be logged.
    console.error(`${manifest.projectSnippets.length} snippets, complete: ${manifest.completeness.complete}`);
  } finally {
    await project.close();
  }
}

main(process.argv.slice(2)).catch((error) => {
  // Errors have stable codes, such as `E_ROOT_REFUSED`, and hold no text of the project.
  console.error(error.code, error.message);
  process.exitCode = 1;
});
