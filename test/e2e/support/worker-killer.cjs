// Run first in every process of the editor's server: ends the readers of logs whenever the file named in
// DSH_TIMELINE_KILL is written, as an exhausted memory would. Nothing of the product knows of it.
'use strict';
const fs = require('node:fs');
const threads = require('node:worker_threads');

const control = process.env.DSH_TIMELINE_KILL;
if (control !== undefined && threads.isMainThread) {
  const readers = new Set();
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, options);
      if (options?.name !== 'dsh log') return;
      readers.add(this);
      this.once('exit', () => readers.delete(this));
    }
  };
  fs.watchFile(control, { interval: 50, persistent: false }, () => {
    for (const reader of readers) void reader.terminate();
  });
}
