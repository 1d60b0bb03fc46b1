// Visual Studio Code's side: what the server says becomes diagnostics, hovers, completions, definitions, outlines, lenses and edits.
'use strict';
const vscode = require('vscode');
const {Client} = require('./client');

const LANGUAGES = ['vouch-gsl', 'vouch-tk', 'vouch-fun'];
let client = null;

const range = r => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const place = (document, position) => ({textDocument: {uri: document.uri.toString()}, position: {line: position.line, character: position.character}});
const whole = document => ({textDocument: {uri: document.uri.toString()}});
const ours = document => LANGUAGES.includes(document.languageId);
const markdown = contents => new vscode.MarkdownString(typeof contents === 'string' ? contents : contents.value);

function diagnostic(one) {
  // The protocol counts severities from 1, the editor from 0.
  const out = new vscode.Diagnostic(range(one.range), one.message, (one.severity || 1) - 1);
  out.source = 'vouch';
  return out;
}

function lens(one) {
  const out = new vscode.CodeLens(range(one.range), one.command);
  out.from = one;
  return out;
}

function providers() {
  return [
    vscode.languages.registerHoverProvider(LANGUAGES, {
      provideHover: async (document, position) => {
        const said = await client.ask('textDocument/hover', place(document, position));
        return said && new vscode.Hover(markdown(said.contents));
      }}),
    vscode.languages.registerCompletionItemProvider(LANGUAGES, {
      provideCompletionItems: async (document, position) => {
        const said = await client.ask('textDocument/completion', place(document, position));
        return (said.items || said).map(one => {
          const item = new vscode.CompletionItem(one.label, one.kind === undefined ? undefined : one.kind - 1);
          item.detail = one.detail;
          item.insertText = one.insertText;
          return item;
        });
      }}, '{', '.'),
    vscode.languages.registerDefinitionProvider(LANGUAGES, {
      provideDefinition: async (document, position) => {
        const said = await client.ask('textDocument/definition', place(document, position));
        return said && new vscode.Location(vscode.Uri.parse(said.uri), range(said.range));
      }}),
    vscode.languages.registerDocumentSymbolProvider(LANGUAGES, {
      provideDocumentSymbols: async document => (await client.ask('textDocument/documentSymbol', whole(document))).map(one =>
        new vscode.DocumentSymbol(one.name, '', one.kind - 1, range(one.range), range(one.selectionRange)))}),
    vscode.languages.registerCodeLensProvider(LANGUAGES, {
      provideCodeLenses: async document => (await client.ask('textDocument/codeLens', whole(document))).map(lens),
      resolveCodeLens: async one => lens(await client.ask('codeLens/resolve', one.from))}),
    vscode.languages.registerDocumentFormattingEditProvider(LANGUAGES, {
      provideDocumentFormattingEdits: async document =>
        (await client.ask('textDocument/formatting', whole(document)) || []).map(one => new vscode.TextEdit(range(one.range), one.newText))}),
  ];
}

async function activate(context) {
  const found = vscode.languages.createDiagnosticCollection('vouch');
  const command = vscode.workspace.getConfiguration('vouch').get('command') || 'vouch';
  client = new Client(command, (method, params) => {
    if (method === 'textDocument/publishDiagnostics') found.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic));
  }, why => vscode.window.showErrorMessage(`Vouch: ${why}. The setting vouch.command names the command.`));
  context.subscriptions.push(found, vscode.commands.registerCommand('vouch.verdict', () => {}));
  try {
    await client.start();
  } catch (error) {
    return;  // it was shown
  }
  const open = document => ours(document) && client.note('textDocument/didOpen', {textDocument: {
    uri: document.uri.toString(), languageId: document.languageId, version: document.version, text: document.getText()}});
  context.subscriptions.push(
    ...providers(),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidCloseTextDocument(document => ours(document) && client.note('textDocument/didClose', whole(document))),
    vscode.workspace.onDidChangeTextDocument(event => ours(event.document) && client.note('textDocument/didChange', {
      textDocument: {uri: event.document.uri.toString(), version: event.document.version},
      contentChanges: [{text: event.document.getText()}]})));
  vscode.workspace.textDocuments.forEach(open);
}

function deactivate() { return client ? client.stop() : undefined; }

module.exports = {activate, deactivate};
