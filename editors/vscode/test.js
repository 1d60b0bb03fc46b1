// node test.js VOUCH: the extension without an editor. Its client speaks with the real server; the editor's side runs on a stand-in
// for the module `vscode` that records what it is told.
'use strict';
const assert = require('assert');
const fs = require('fs');
const Module = require('module');
const path = require('path');

const vouch = process.argv[2];
const RULE = 'rule r "𝄞ä" {\n  let x = *;\n  let y = Relu(x);\n  source Relu(y);\n  target y;\n}\n';
const WRONG = 'rule r {\n  let x = *;\n  source Relu(x);\n  target Rellu(x);\n}\n';
const URI = 'file:///rules/a.gsl';

function grammars() {
  const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, 'package.json')));
  for (const file of manifest.files) assert(fs.existsSync(path.join(__dirname, file)), `${file} is not there`);
  for (const {path: file, scopeName} of manifest.contributes.grammars) {
    const grammar = JSON.parse(fs.readFileSync(path.join(__dirname, file)));
    assert.strictEqual(grammar.scopeName, scopeName);
    const all = grammar.patterns.flatMap(one => [one.match, one.begin, one.end].filter(Boolean));
    for (const expression of all) new RegExp(expression);
    assert(all.length > 5);
  }
}

// Of the editor only what the extension uses; every provider is kept by its kind.
function standIn(told) {
  class Holder { constructor(...words) { this.words = words; } }
  const kinds = ['Range', 'Position', 'Diagnostic', 'Hover', 'MarkdownString', 'CompletionItem', 'Location', 'DocumentSymbol', 'CodeLens', 'TextEdit'];
  const register = kind => (languages, provider) => { told[kind] = provider; return {dispose() {}}; };
  const listen = kind => heard => { told[kind] = heard; return {dispose() {}}; };
  return {
    ...Object.fromEntries(kinds.map(kind => [kind, class extends Holder {}])),
    Uri: {parse: text => ({toString: () => text})},
    languages: {
      createDiagnosticCollection: () => ({set: (uri, list) => { told.diagnostics.push({uri: uri.toString(), list}); told.more(); }, dispose() {}}),
      registerHoverProvider: register('hover'), registerCompletionItemProvider: register('completion'),
      registerDefinitionProvider: register('definition'), registerCodeLensProvider: register('lens'),
      registerDocumentSymbolProvider: register('outline'),
      registerDocumentFormattingEditProvider: register('format')},
    commands: {registerCommand: () => ({dispose() {}})},
    window: {showErrorMessage: text => { told.errors.push(text); }},
    workspace: {getConfiguration: () => ({get: () => told.command}), textDocuments: [], onDidOpenTextDocument: listen('open'),
                onDidCloseTextDocument: listen('close'), onDidChangeTextDocument: listen('change')}};
}

function editor(command) {
  const told = {diagnostics: [], errors: [], command, more() {}};
  const load = Module._load;
  Module._load = (name, ...rest) => name === 'vscode' ? standIn(told) : load(name, ...rest);
  delete require.cache[require.resolve('./extension')];
  const extension = require('./extension');
  Module._load = load;
  return {told, extension};
}

const document = (text, uri = URI) => ({uri: {toString: () => uri}, languageId: 'vouch-gsl', version: 1, getText: () => text});
const next = told => new Promise(resolve => { told.more = () => { told.more = () => {}; resolve(told.diagnostics.at(-1)); }; });

async function main() {
  grammars();
  const {told, extension} = editor(vouch);
  await extension.activate({subscriptions: []});
  let said = next(told);
  told.open(document(WRONG));
  said = await said;
  assert.strictEqual(said.list.length, 1);
  assert(said.list[0].words[1].includes('Rellu'), said.list[0].words[1]);
  assert.deepStrictEqual(said.list[0].words[0].words.slice(0, 2), [3, 9]);
  assert.strictEqual(said.list[0].words[2], 0);
  const good = document(RULE);
  said = next(told);
  told.change({document: good});
  assert.deepStrictEqual((await said).list, []);
  const hover = await told.hover.provideHover(good, {line: 2, character: 11});
  assert(hover.words[0].words[0].includes('Relu'));
  assert((await told.completion.provideCompletionItems(good, {line: 2, character: 11})).some(item => item.words[0] === 'MatMul'));
  const definition = await told.definition.provideDefinition(good, {line: 3, character: 14});
  assert.deepStrictEqual(definition.words[1].words.slice(0, 1), [2]);
  const outline = await told.outline.provideDocumentSymbols(good);
  assert.deepStrictEqual(outline.map(one => [one.words[0], one.words[2]]), [['r', 11]]);  // a function
  const lenses = await told.lens.provideCodeLenses(good);
  const lens = await told.lens.resolveCodeLens(lenses[0]);
  assert(lens.words[1].title.includes('sound (exact)'), JSON.stringify(lens.words));
  const untidy = document('rule r {\nlet x = *;\nsource Relu(Relu(x));\ntarget Relu(x);\n}\n', 'file:///rules/b.gsl');
  said = next(told);
  told.open(untidy);
  await said;
  const edits = await told.format.provideDocumentFormattingEdits(untidy);
  assert(edits.length > 0 && edits.some(edit => edit.words[1].includes('  let x')));
  await extension.deactivate();

  const absent = editor('/nowhere/vouch');
  await absent.extension.activate({subscriptions: []});
  assert(absent.told.errors.length === 1 && absent.told.errors[0].includes('vouch.command'), JSON.stringify(absent.told.errors));
  console.log('the extension speaks with the server');
}

main().catch(error => { console.error(error); process.exit(1); });
