// The TextMate grammar on every model, the library, the templates and every example of `tests/language`.
//
// No character is `invalid`, except in examples whose text is wrong on purpose. Reserved words are coloured as
// words of the language, except after a dot; names are not; comments are comments to the end of their line.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';

const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const here = path.dirname(new URL(import.meta.url).pathname);
const root = path.join(here, '../../..');
const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
const engine = oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength)).then(() => ({
  createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
  createOnigString: text => new oniguruma.OnigString(text),
}));
const file = path.join(here, '../syntaxes/linchpin.tmLanguage.json');
const registry = new textmate.Registry({
  onigLib: engine,
  loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file),
});

// Words that are never names.
const RESERVED = new Set(('let if else match loop while for in break continue return defer atomic await assert assume lin true '
  + 'false null none me self new choose use const type enum struct shared op fn impl spec').split(' '));

function list(directory, extension) {
  const names = fs.readdirSync(path.join(root, directory)).filter(name => name.endsWith(extension)).sort();
  return names.map(name => [`${directory}/${name}`, fs.readFileSync(path.join(root, directory, name), 'utf8')]);
}

function models() {
  return ['models/correct', 'models/wrong', 'crates/linchpin-frontend/library', 'crates/linchpin/templates']
    .flatMap(directory => list(directory, '.lin'));
}

function examples() {
  const found = [];
  for (const [name, text] of list('tests/language', '.md')) {
    const blocks = [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```/gm)];
    blocks.forEach(([, kind, body], at) => {
      // What follows an example says whether it is wrong on purpose.
      if (kind === 'lin') found.push([`${name}#${at}`, body, blocks[at + 1]?.[1] === 'diagnostics']);
    });
  }
  return found;
}

/** Returns the tokens: text and scopes. */
function tokens(grammar, text) {
  const found = [];
  let stack = textmate.INITIAL;
  for (const line of text.split(/\r?\n/)) {
    const result = grammar.tokenizeLine(line, stack);
    for (const token of result.tokens) {
      found.push({ line, at: token.startIndex, text: line.slice(token.startIndex, token.endIndex), scopes: token.scopes.join(' ') });
    }
    stack = result.ruleStack;
  }
  return { found, depth: stack.depth };
}

function check(grammar, name, text, isWrong) {
  const { found, depth } = tokens(grammar, text);
  assert.equal(depth, 1, `${name}: no rule stays open`);
  for (const token of found) {
    const where = `${name}: \`${token.text}\` in \`${token.line.trim()}\` is ${token.scopes}`;
    if (!isWrong) assert.ok(!token.scopes.includes('invalid'), where);
    const comment = token.line.indexOf('//');
    const isComment = comment >= 0 && token.at >= comment;
    if (!isWrong && token.text.trim()) assert.equal(token.scopes.includes('comment'), isComment, where);
    if (isComment || isWrong) continue;
    const isWord = /keyword|storage|constant\.language|variable\.language/.test(token.scopes);
    const isReserved = RESERVED.has(token.text) && token.line[token.at - 1] !== '.';
    if (isReserved) assert.ok(isWord, where);
  }
  return found.length;
}

test('every model is coloured', async () => {
  const grammar = await registry.loadGrammar('source.linchpin');
  const all = models();
  assert.ok(all.length > 90, `${all.length}`);
  for (const [name, text] of all) assert.ok(check(grammar, name, text, false) > 20, name);
});

test('every example is coloured', async () => {
  const grammar = await registry.loadGrammar('source.linchpin');
  const all = examples();
  assert.ok(all.filter(([, , isWrong]) => !isWrong).length > 60, `${all.length}`);
  for (const [name, text, isWrong] of all) check(grammar, name, text, isWrong);
});

test('some words have the colours that they should have', async () => {
  const grammar = await registry.loadGrammar('source.linchpin');
  const scope = (line, word) => tokens(grammar, line).found.find(token => token.text === word)?.scopes ?? 'none';
  const cases = [
    ['object Treiber: Stack;', 'Treiber', 'entity.name.type'],
    ['object Treiber: Stack;', 'Stack', 'inherited-class'],
    ['shared head: *Node;', 'shared', 'storage.modifier'],
    ['shared head: *Node;', 'Node', 'entity.name.type'],
    ['op push(v: data) {', 'push', 'entity.name.function'],
    ['op push(v: data) {', 'data', 'support.type'],
    ['    if cas(head, top, n) { lin; return; }', 'cas', 'support.function'],
    ['    let lock = n.lock; // a field', 'let', 'keyword'],
    ['    n.key = key::MIN;', 'key', 'property'],
    ['    linearizable: violated;', 'violated', 'constant.language'],
    ['  // let it be', '// let it be', 'comment'],
    ['let x = "text";', '"', 'invalid'],
  ];
  for (const [line, word, wanted] of cases) assert.match(scope(line, word), new RegExp(wanted), `${word} in ${line}`);
});
