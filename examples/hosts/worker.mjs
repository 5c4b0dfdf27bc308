// A worker thread that answers requests for a program: `node worker.mjs PROJECT REQUEST …`.
//
// All calls run off the JavaScript thread anyway: a worker is for a host that lives in one. Projects are not passed between threads; each thread opens its own.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openProject } from 'pi-context-engine';

if (isMainThread) {
  const [path, ...requests] = process.argv.slice(2);
  const worker = new Worker(new URL(import.meta.url), { workerData: { path, requests } });
  worker.on('message', (answer) => console.log(answer));
  worker.on('error', (error) => {
    console.error(error.code, error.message);
    process.exitCode = 1;
  });
} else {
  const project = await openProject({ path: workerData.path, trusted: true });
  try {
    await project.sync();
    for (const text of workerData.requests) {
      const { messages } = await project.retrieve({ text, maxResults: 1 });
      parentPort.postMessage(`${text} ${messages.map(({ snippet }) => snippet.path).join()}`);
    }
  } finally {
    await project.close();
  }
}
