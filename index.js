// Loads the native addon by explicit path. Bare names are never resolved: a host that is one compiled executable cannot do that.

const fs = require('node:fs');
const path = require('node:path');

const PACKAGE = 'pi-context-engine';
const PREBUILT = ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu', 'linux-arm64-musl', 'linux-x64-gnu', 'linux-x64-musl', 'win32-arm64-msvc', 'win32-x64-msvc'];

// The loader script names its C library; where it is missing, the running process knows (asked last: a report is slow).
function usesMusl() {
  try {
    const script = fs.readFileSync('/usr/bin/ldd', 'latin1');
    if (script.includes('musl')) return true;
    if (/GLIBC|GNU C Library|GNU libc/.test(script)) return false;
  } catch {
    // No such script here.
  }
  const { report } = process;
  if (!report) return false;
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const { header, sharedObjects = [] } = report.getReport();
  report.excludeNetwork = before;
  if (header.glibcVersionRuntime) return false;
  return sharedObjects.some((file) => /(^|\/)(libc\.musl-|ld-musl-)/.test(file));
}

function platformName() {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform === 'linux') return `${base}-${usesMusl() ? 'musl' : 'gnu'}`;
  return process.platform === 'win32' ? `${base}-msvc` : base;
}

// Beside this file in a source checkout, else in the platform's package, which npm puts into a `node_modules` here or above.
function candidates(platform) {
  const file = `${PACKAGE}.${platform}.node`;
  const found = [path.join(__dirname, file)];
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    found.push(path.join(folder, 'node_modules', `${PACKAGE}-${platform}`, file));
    if (path.dirname(folder) === folder) return found;
  }
}

// What a person calls this machine.
function machineName(platform) {
  const libc = platform.endsWith('-musl') ? ' with musl' : platform.endsWith('-gnu') ? ' with glibc' : '';
  return `${process.platform} ${process.arch}${libc}`;
}

function missing(message, cause) {
  return Object.assign(new Error(message, { cause }), { code: 'E_ADDON_MISSING' });
}

function load() {
  const platform = platformName();
  const machine = machineName(platform);
  const file = candidates(platform).find((candidate) => fs.existsSync(candidate));
  if (!file && !PREBUILT.includes(platform)) {
    throw missing(`No addon for ${machine}: there is no package ${PACKAGE}-${platform}; build it from a source checkout with "npm ci".`);
  }
  if (!file) {
    throw missing(
      `No addon for ${machine}: the package ${PACKAGE}-${platform} is not installed; install ${PACKAGE} again without omitting ` +
        'optional dependencies, or, in a source checkout, run "npm run build".',
    );
  }
  try {
    return require(file);
  } catch (error) {
    const where = path.dirname(file) === __dirname ? 'of this checkout' : `in the package ${PACKAGE}-${platform}`;
    const reason = String(error.message).split('\n')[0];
    throw missing(`The addon for ${machine} ${where} does not load (${reason}); install ${PACKAGE} again.`, error);
  }
}

// The addon refuses an argument of a wrong type before its call begins. A caller of a promise awaits that like every other error.
function promising(call) {
  return function (...given) {
    try {
      return call.apply(this, given);
    } catch (error) {
      return Promise.reject(String(error.code).startsWith('E_') ? error : Object.assign(error, { code: 'E_INVALID_ARGUMENT' }));
    }
  };
}

// The binary is loaded once in a process; this file is evaluated again where a module and a script, or a reloaded host, ask for it.
const DONE = Symbol.for('pi-context-engine: promising');

const addon = load();
if (!addon[DONE]) {
  const calls = addon.Project.prototype;
  for (const name of Object.getOwnPropertyNames(calls)) {
    if (name !== 'constructor') calls[name] = promising(calls[name]);
  }
  for (const name of ['checkBlocks', 'describeTask', 'listIndexes', 'openProject', 'parseSource', 'removeIndex']) addon[name] = promising(addon[name]);
  addon[DONE] = true;
}

// One assignment each: that is how a module's import statement sees the names.
module.exports.checkBlocks = addon.checkBlocks;
module.exports.countTokens = addon.countTokens;
module.exports.describeTask = addon.describeTask;
module.exports.listIndexes = addon.listIndexes;
module.exports.openProject = addon.openProject;
module.exports.parseSource = addon.parseSource;
module.exports.removeIndex = addon.removeIndex;
module.exports.tokenLimits = addon.tokenLimits;
module.exports.version = addon.version;
module.exports.Project = addon.Project;
