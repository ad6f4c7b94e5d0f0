// The client of the language server, and a view for the pages of executions.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;
/** The view of the last page, and the page of each model. */
let panel;
const pages = new Map();

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('linchpin.checkModel', () => run('linchpin.check')),
    vscode.commands.registerCommand('linchpin.proveModel', () => run('linchpin.prove')),
    vscode.commands.registerCommand('linchpin.showExecution', show),
    vscode.commands.registerCommand('linchpin.restart', async () => { await stop(); await start(); }),
    vscode.workspace.onDidChangeConfiguration(async event => {
      if (event.affectsConfiguration('linchpin')) { await stop(); await start(); }
    }),
  );
  await start();
}

async function start() {
  const settings = vscode.workspace.getConfiguration('linchpin');
  const server = { command: settings.get('path'), args: ['lsp'] };
  client = new LanguageClient('linchpin', 'Linchpin', server, {
    documentSelector: [{ language: 'linchpin' }],
    initializationOptions: { timeout: settings.get('timeout'), memory: settings.get('memory') },
  });
  client.onNotification('linchpin/ended', ended);
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`${server.command} lsp cannot be started: ${error.message}. Set "linchpin.path".`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop().catch(() => {});
}

async function run(command) {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'linchpin' || !client) return;
  await client.sendRequest('workspace/executeCommand', { command, arguments: [document.uri.toString()] });
}

async function ended({ uri, summary, page }) {
  const first = summary.split('\n', 1)[0];
  if (!page) {
    vscode.window.setStatusBarMessage(first, 10_000);
    return;
  }
  pages.set(uri, page);
  const answer = await vscode.window.showInformationMessage(first, 'Show execution');
  if (answer) show(page);
}

/** Opens a page beside the source. */
function show(given) {
  const document = vscode.window.activeTextEditor?.document;
  const page = typeof given === 'string' ? given : pages.get(document?.uri.toString());
  if (!page) {
    vscode.window.showInformationMessage('There is no execution yet: check the model first.');
    return;
  }
  const file = vscode.Uri.parse(page, true);
  if (file.scheme !== 'file') return;
  const directory = vscode.Uri.file(path.dirname(file.fsPath));
  panel ??= vscode.window.createWebviewPanel('linchpin', 'Execution', vscode.ViewColumn.Beside, {
    enableScripts: true,
    localResourceRoots: [directory],
  });
  panel.onDidDispose(() => { panel = undefined; });
  // The page has a policy of its own, which admits its own script and style by their hashes, and no network.
  panel.webview.html = fs.readFileSync(file.fsPath, 'utf8');
  panel.reveal(vscode.ViewColumn.Beside, true);
}

module.exports = { activate, deactivate: stop };
