"use strict";
const fs = require("fs");
const { join, resolve: res } = require("path");
import def, * as ns from "./m.js";

var legacy = 1, older;
let counter = 0;
export const MAX = 3;

/** A shape. */
export class Shape extends Base {
  static sides = 4;
  #secret = 1;
  width;
  constructor(name) {
    super();
    this.name = name;
  }
  get area() { return this.width; }
  set area(value) {}
  static create(...rest) { return new Shape(...rest); }
  async *stream() { yield* items(); }
  #hidden() {}
  arrow = () => this.call();
  static { register(Shape); }
  ["computed" + 1]() {}
  "quoted name"() {}
}

function plain(a, { b, c = 1 }, ...rest) {
  function nested() {}
  const inside = () => nested();
  return inside?.(a ?? b);
}
async function later() { for await (const x of y) go(x); }
function* generate() { yield 1; }
const arrow = (x) => x;
const expression = function named() {};
const Klass = class Inner { method() {} };

function Old() {}
Old.prototype.method = function () {};
Old.prototype.chained = Old.prototype.arrow = () => 1;
Old.static = function () {};
Other.thing = () => {};

const object = {
  method() {},
  async *streams() {},
  property: 1,
  arrow: () => 2,
  get accessor() { return 1; },
  nested: { inner() {}, data: 1 },
  "quoted": function () {},
};

exports.one = function () {};
exports.value = 1;
module.exports.two = class {};
module.exports = { plain, Shape, added() {} };

export default { data() {}, methods: { go() {} } };
export { arrow as renamed };
label: for (;;) { break label; }
if (counter) { var conditional = function () {}; }
const hashbang = `function notOne() {} ${counter}`;
const regex = /function no() {}/;
later().then(async function done() {});
