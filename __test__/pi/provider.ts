// A model server on the loopback interface, with scripted replies; it keeps every request that it gets.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One reply: text, tool calls, or both. */
export interface Reply {
  text?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
  /** Runs before the reply is sent, as a user's own editor would. */
  before?: () => void;
  /** Send the headers, then nothing: for tests of aborts. */
  hang?: boolean;
  /** Refuse the request with this message, as a provider does that finds it too long. */
  refuse?: string;
}

export interface ChatMessage {
  role: string;
  content: string | { text?: string }[] | null;
}

export interface Provider {
  url: string;
  /** The messages of each request, in order; none of one that has no messages. */
  bodies: ChatMessage[][];
  /** Each request as it came. */
  raw: string[];
  /** Replaces what is left of the script; after its end every reply is `done`. */
  play(replies: Reply[]): void;
  close(): Promise<void>;
}

/** The text of one chat message, whatever form its content has. */
export function textOf(message: ChatMessage | undefined): string {
  if (typeof message?.content === 'string') return message.content;
  return (message?.content ?? []).map((part) => part.text ?? '').join('');
}

/** `count` says how many tokens a request has. */
export async function startProvider(count: (body: string) => Promise<number> | number = () => 1234): Promise<Provider> {
  const bodies: ChatMessage[][] = [];
  const raw: string[] = [];
  let replies: Reply[] = [];
  let calls = 0;

  async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    raw.push(body);
    bodies.push((JSON.parse(body) as { messages?: ChatMessage[] }).messages ?? []);
    const reply = replies.shift() ?? { text: 'done' };
    reply.before?.();
    if (reply.refuse) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: reply.refuse, type: 'invalid_request_error' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (choices: unknown[], extra = {}) =>
      response.write(`data: ${JSON.stringify({ id: 'mock', object: 'chat.completion.chunk', created: 0, model: 'mock-model', choices, ...extra })}\n\n`);
    send([{ index: 0, delta: { role: 'assistant', content: reply.text ?? '' }, finish_reason: null }]);
    if (reply.hang) return;
    const tools = (reply.toolCalls ?? []).map((call, index) => {
      calls += 1;
      return { index, id: `call_${calls}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } };
    });
    if (tools.length > 0) send([{ index: 0, delta: { tool_calls: tools }, finish_reason: null }]);
    send([{ index: 0, delta: {}, finish_reason: tools.length > 0 ? 'tool_calls' : 'stop' }]);
    const prompt = await count(body);
    send([], { usage: { prompt_tokens: prompt, completion_tokens: 5, total_tokens: prompt + 5 } });
    response.end('data: [DONE]\n\n');
  }

  const server = createServer((request, response) => {
    chat(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    raw,
    play(next) {
      replies = [...next];
    },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
