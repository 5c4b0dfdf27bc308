// What TypeScript makes of the package: the same text is checked as a module and as CommonJS.
import { type OpenOptions, openProject, type Retrieval } from 'pi-context-engine';

const options: OpenOptions = { path: '.', trusted: true };

export async function paths(text: string): Promise<string[]> {
  const project = await openProject(options);
  try {
    const { messages }: Retrieval = await project.retrieve({ text, destination: 'local', signal: AbortSignal.timeout(1_000) });
    return messages.flatMap(({ snippet }) => (snippet ? [snippet.path] : []));
  } finally {
    await project.close();
  }
}

// @ts-expect-error: trust is never a default.
void openProject({ path: '.' });
