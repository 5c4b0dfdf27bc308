/** The time that one hook call may take, and the signal that ends it early. */
export class Deadline {
  readonly signal: AbortSignal | undefined;
  readonly #end: number;

  constructor(milliseconds: number, signal: AbortSignal | undefined) {
    this.#end = performance.now() + milliseconds;
    this.signal = signal;
  }

  /** Whole milliseconds left. */
  get left(): number {
    return this.signal?.aborted ? 0 : Math.max(0, Math.floor(this.#end - performance.now()));
  }

  /** The promise's value, or undefined if the time (or `limit` milliseconds of it) is up first. A rejection in time passes. */
  async within<T>(promise: Promise<T>, limit = this.left): Promise<T | undefined> {
    // Nobody awaits it once the time is up, and an unheard rejection would end the host.
    promise.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    const expiry = new Promise<undefined>((expire) => {
      stop = () => expire(undefined);
      timer = setTimeout(stop, Math.min(limit, this.left));
      this.signal?.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([promise, expiry]);
    } finally {
      clearTimeout(timer);
      if (stop) this.signal?.removeEventListener('abort', stop);
    }
  }
}
