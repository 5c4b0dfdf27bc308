import { a } from "./a";
import type { B } from "./b";

export const MAX = 3;
const local = 1, other = 2;
let counter = 0;
export const { left, right: renamed } = a;

/** A shape. */
@Component({ selector: "x" })
export abstract class Shape<T extends object = {}> extends Base<T> implements Drawable {
  static readonly sides = 4;
  #secret = 1;
  private hidden?: string;
  declare typed: B;
  accessor auto = 1;
  constructor(private readonly name: string, public width = 1, plain = 2) {
    super();
    this.late = 1;
  }
  get area(): number { return this.width; }
  set area(value: number) {}
  abstract draw(canvas: Canvas): void;
  overloaded(a: string): void;
  overloaded(a: number): void;
  overloaded(a: unknown) {}
  async *stream<U>(items: U[]): AsyncGenerator<U> { yield* items; }
  arrow = (x: number) => this.call(x);
  static { init(); }
  [Symbol.iterator]() { return inner(); }
}

export interface Drawable {
  readonly depth: number;
  draw(canvas: Canvas): void;
  optional?(): string;
  nested: { deep: number };
}

export enum Color { Red, Green = "g", Blue = 1 << 2 }
export const enum Flags { None = 0 }
export type Pair<A, B = A> = [A, B];
type Shaped = { kind: "a"; size: number };

export namespace Geometry {
  export function area(shape: Shape<{}>): number { return shape.area; }
  export namespace Deep { export const value = 1; }
  const hiddenInside = 2;
}

declare module "external" {
  export function imported(): void;
}
declare global { interface Window { custom: string } }
declare function ambient(a: number): string;

export function overload(a: string): string;
export function overload(a: number): number;
export function overload(a: any) { const inside = () => a; return inside(); }
export async function* generate() { yield 1; }
export default function main() { class InFunction { method() {} } }
const arrow = async <T,>(value: T): Promise<T> => value;
const expression = function named() {};
export const object = {
  method() {},
  property: 1,
  arrow: () => 2,
  get computed() { return 1; },
  nested: { inner() {} },
} satisfies Record<string, unknown>;
const instance = new (class Named {})();
using resource = open();
export { local as exported };
export * from "./c";
const checked = local satisfies number as const;
