// A host of its own: Pi through its SDK, without the resolver of trust that Pi's command line brings. Sends one prompt.
import { createAgentSession, DefaultResourceLoader, SessionManager } from '@earendil-works/pi-coding-agent';

const [extension, agentDir, prompt] = process.argv.slice(2);
const cwd = process.cwd();
const resourceLoader = new DefaultResourceLoader({ cwd, agentDir, additionalExtensionPaths: [extension] });
await resourceLoader.reload();
const { session } = await createAgentSession({ cwd, agentDir, resourceLoader, sessionManager: SessionManager.inMemory(cwd) });
await session.bindExtensions({});
await session.prompt(prompt);
await session.extensionRunner?.emit({ type: 'session_shutdown', reason: 'quit' });
session.dispose();
