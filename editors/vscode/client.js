// The Language Server Protocol 3.17 over a process's standard streams: framing, requests, notes. Knows no editor.
'use strict';
const {spawn} = require('child_process');

class Client {
  // `onNote(method, params)` is called for what the server says by itself, `onEnd(why)` once, when it has ended.
  constructor(command, onNote, onEnd) {
    this.next = 1;
    this.waiting = new Map();
    this.received = Buffer.alloc(0);
    this.ended = false;
    this.onNote = onNote;
    this.process = spawn(command, ['lsp'], {stdio: ['pipe', 'pipe', 'ignore']});
    const end = why => {
      if (this.ended) return;
      this.ended = true;
      for (const {reject} of this.waiting.values()) reject(new Error(why));
      this.waiting.clear();
      onEnd(why);
    };
    this.process.on('error', error => end(`'${command}' cannot be run: ${error.message}`));
    this.process.on('exit', (code, signal) => end(`'${command} lsp' ended with ${signal || code}`));
    this.process.stdin.on('error', () => {});  // `exit` says it
    this.process.stdout.on('data', bytes => this.read(bytes));
  }

  send(message) {
    if (this.ended) return;
    const text = Buffer.from(JSON.stringify({jsonrpc: '2.0', ...message}));
    this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]));
  }

  note(method, params) { this.send({method, params}); }

  ask(method, params) {
    if (this.ended) return Promise.reject(new Error('the server has ended'));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.send({id, method, params});
    });
  }

  read(bytes) {
    this.received = Buffer.concat([this.received, bytes]);
    for (;;) {
      const head = this.received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /Content-Length: *(\d+)/i.exec(this.received.subarray(0, head).toString());
      const end = head + 4 + (length ? Number(length[1]) : 0);
      if (this.received.length < end) return;
      const text = this.received.subarray(head + 4, end).toString();
      this.received = this.received.subarray(end);
      if (length) this.take(JSON.parse(text));
    }
  }

  take(message) {
    const asked = message.method === undefined ? this.waiting.get(message.id) : undefined;
    if (asked) {
      this.waiting.delete(message.id);
      message.error ? asked.reject(new Error(message.error.message)) : asked.resolve(message.result);
    } else if (message.method !== undefined && message.id === undefined) {
      this.onNote(message.method, message.params);
    }
  }

  async start() {
    const said = await this.ask('initialize', {processId: process.pid, rootUri: null, capabilities: {}});
    this.note('initialized', {});
    return said;
  }

  async stop() {
    await this.ask('shutdown', null).catch(() => {});
    this.note('exit', null);
    this.process.stdin.end();
  }
}

module.exports = {Client};
