import { createHash } from 'node:crypto';
import type { ContextWithSystemEvent } from '@earendil-works/pi-coding-agent';

/** A message of the conversation, as the host hands it to a hook. */
export type Message = ContextWithSystemEvent['messages'][number];
type UserMessage = Extract<Message, { role: 'user' }>;

/** What the user asks for now. */
export interface Request {
  /** Tells the message apart from every other one of the conversation. */
  key: string;
  text: string;
}

/** The latest user message: typed, steered, followed up, or sent by an extension. Undefined if there is none, or if it holds images alone. */
export function currentRequest(messages: Message[]): Request | undefined {
  const message = messages.findLast((candidate) => candidate.role === 'user');
  if (message?.role !== 'user') return undefined;
  const text = textOf(message);
  return text.trim() ? { key: keyOf(message), text } : undefined;
}

/** The hook gets fresh copies each time, so a message is known by its time and text. */
export function keyOf(message: UserMessage): string {
  return `${message.timestamp}:${createHash('sha256').update(textOf(message)).digest('base64url')}`;
}

/** The tool call that the newest tool result answers. */
export function lastToolCall(messages: Message[]): string | undefined {
  const message = messages.findLast((candidate) => candidate.role === 'toolResult');
  return message?.role === 'toolResult' ? message.toolCallId : undefined;
}

/** Paths that the text seems to name, relative to the project. */
export function namedPaths(text: string): string[] {
  const found = text.slice(0, 20_000).match(/(?<![\w./\\-])(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.\w{1,8}\b/g) ?? [];
  return [...new Set(found)].filter((path) => !path.split('/').some((part) => part === '..' || part === '.')).slice(0, 16);
}

function textOf({ content }: UserMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
