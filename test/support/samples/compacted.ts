import { LogBuilder } from '../log-builder.ts';
import { bash, edit, glob, grep, play, read, write, type TurnScript } from './script.ts';

/** A long piece of work whose context fills up: a pruned result, a compaction inside a turn, one by command between turns. */
export function sqliteMove(createdAt: number, cwd: string): LogBuilder {
  const log = new LogBuilder({
    version: 4,
    id: 'session-0d7c9a44-2a51-4c1e-a7a4-9e1c6d2f5b10',
    cwd,
    createdAt,
    tokensPerCharacter: 7.2,
    contextWindow: 128_000,
  });
  log.setUp();
  play(log, [INVENTORY]);
  log.title('Move the invoice store to SQLite');
  play(log, [SCHEMA]);

  log
    .wait(240_000)
    .prompt('Now port the queries, one repository method at a time, and keep the old store until the tests agree.');
  log.work({
    reasoning:
      'Eleven methods. I will start with the reads because the writes need transactions, and compare both stores on the fixture set after each.',
    text: 'Reads first.',
    calls: [read('src/store/json-store.ts', JSON_STORE), grep('store\\.', 'src', STORE_USES)],
  });
  const listing = log.events.findLast((event) => event.type === 'tool/result')?.seq ?? 0;
  log.work({
    calls: [
      edit('src/store/sqlite-store.ts', 'export class SqliteStore {', `export class SqliteStore {\n${READS}`),
      bash('npx vitest run test/store', TEST_OUTPUT(38, 5), { exit: 1, takes: 9_300 }),
    ],
  });
  log.startStep();
  log.prune(listing, '(31 places use the store; the list was shortened)');
  log.answer({
    reasoning: 'Five failures, all about dates: SQLite gives integers back, the JSON store gave Date objects.',
    text: 'All five failures are dates. I will convert at the edge, in one place.',
    calls: [
      {
        id: 'call_dates',
        name: 'edit',
        arguments: JSON.stringify({
          file_path: 'src/store/rows.ts',
          old_string: 'return row',
          new_string: 'return { ...row, issuedAt: new Date(row.issued_at) }',
        }),
      },
    ],
  });
  log.run({
    ...edit('src/store/rows.ts', 'return row', 'return { ...row, issuedAt: new Date(row.issued_at) }'),
    id: 'call_dates',
    arguments: JSON.stringify({
      file_path: 'src/store/rows.ts',
      old_string: 'return row',
      new_string: 'return { ...row, issuedAt: new Date(row.issued_at) }',
    }),
  });
  log.endStep();
  log.work({ calls: [bash('npx vitest run test/store', TEST_OUTPUT(43, 0), { takes: 8_800 })] });
  log.compact(
    '## Task\nMove the invoice store from JSON files to SQLite, one repository method at a time; the old store stays until the tests agree.\n\n## Done\n- schema with invoices, lines, customers (`src/store/schema.sql`)\n- all reads ported; dates are converted in `src/store/rows.ts`\n- `npx vitest run test/store`: 43 passed\n\n## Next\n- writes, in transactions\n- the importer uses `store.replaceAll`\n- delete `json-store.ts` last',
  );
  log.work({
    text: 'With the reads done, the writes go into transactions.',
    calls: [
      edit('src/store/sqlite-store.ts', '// writes', WRITES),
      bash('npx vitest run test/store test/import', TEST_OUTPUT(61, 1), { exit: 1, takes: 12_400 }),
    ],
  });
  log.work({
    reasoning: 'The importer calls replaceAll inside its own transaction; nested BEGIN fails. Use a savepoint when one is open.',
    calls: [
      edit('src/store/sqlite-store.ts', "this.db.exec('BEGIN')", "this.db.exec(this.db.isTransaction ? 'SAVEPOINT s' : 'BEGIN')"),
      bash('npx vitest run test/store test/import', TEST_OUTPUT(62, 0), { takes: 12_100 }),
    ],
  });
  log.reply(
    'All reads and writes run on SQLite now; 62 tests pass against both stores. The importer keeps its own transaction and the store uses savepoints inside it.',
  );

  log.wait(20_000).command(
    'compact',
    '',
    (commandId) => {
      log.compact(
        '## Task\nMove the invoice store to SQLite.\n\n## Done\n- reads and writes ported, 62 tests pass against both stores\n- savepoints inside the importer\n\n## Next\n- benchmark, then delete the JSON store',
        { commandId },
      );
      return undefined;
    },
    'The context was condensed.',
  );
  play(log, [BENCHMARK, REMOVAL]);
  return log;
}

const JSON_STORE = Array.from({ length: 46 }, (_, i) =>
  [
    `  async find${['ById', 'ByCustomer', 'Open', 'Overdue', 'ByPeriod'][i % 5] ?? ''}${String(i)}(key: string): Promise<Invoice[]> {`,
    `    const rows = await this.load('invoices')`,
    `    return rows.filter((row) => row.key${String(i)} === key)`,
    '  }',
  ].join('\n'),
).join('\n\n');

const STORE_USES = Array.from({ length: 31 }, (_, i) => {
  const file = ['billing/run.ts', 'api/invoices.ts', 'import/csv.ts', 'reports/monthly.ts', 'jobs/remind.ts'][i % 5] ?? '';
  return `src/${file}:${String(12 + i * 7)}:  const open = await store.findOpen(customer.id, { limit: ${String(20 + i)} })`;
});

const READS = Array.from(
  { length: 9 },
  (_, i) => `  find${String(i)}(key: string): Invoice[] {\n    return this.select${String(i)}.all(key).map(invoiceOfRow)\n  }`,
).join('\n\n');

const WRITES = ['save', 'remove', 'replaceAll', 'markPaid']
  .map(
    (name) =>
      `  ${name}(invoice: Invoice): void {\n    this.transaction(() => {\n      this.${name}Row.run(rowOf(invoice))\n    })\n  }`,
  )
  .join('\n\n');

function TEST_OUTPUT(passed: number, failed: number): string {
  const lines = Array.from(
    { length: 14 },
    (_, i) => ` ✓ test/store/case-${String(i + 1)}.test.ts (${String(2 + (i % 4))} tests) ${String(20 + i * 3)}ms`,
  );
  if (failed > 0)
    lines.push(
      ...Array.from(
        { length: failed },
        (_, i) => ` ✗ test/store/dates.test.ts > keeps the day ${String(i + 1)}\n   expected 1764547200000 to be a Date`,
      ),
    );
  return [...lines, '', `      Tests  ${failed > 0 ? `${String(failed)} failed | ` : ''}${String(passed)} passed`].join('\n');
}

const INVENTORY: TurnScript = {
  ask: 'We want to move the invoice store from JSON files to SQLite. Look at what is there and propose a plan. Do not change anything yet.',
  after: 0,
  steps: [
    {
      thinks: 'I need the shape of the data, who calls the store, and how large the files are.',
      says: 'Looking at the store, its callers and the size of the data.',
      calls: [
        glob('src/store/**/*.ts', ['src/store/json-store.ts', 'src/store/types.ts', 'src/store/lock.ts']),
        bash(
          'du -h data/*.json && wc -l src/store/*.ts',
          '  41M\tdata/invoices.json\n 3.2M\tdata/customers.json\n\n  212 src/store/json-store.ts\n   64 src/store/types.ts\n   38 src/store/lock.ts',
          { takes: 140 },
        ),
        read(
          'src/store/types.ts',
          'export interface Invoice {\n  id: string\n  customer: string\n  issuedAt: Date\n  lines: InvoiceLine[]\n  paid: boolean\n}',
        ),
      ],
    },
  ],
  answer:
    'Today every read parses 41 MB of JSON. My plan, in four steps that can each be reviewed:\n\n1. schema: `invoices`, `lines`, `customers`, with indexes on customer and issue date\n2. port the 7 reads, then the 4 writes in transactions, running both stores side by side in the tests\n3. benchmark\n4. delete the JSON store and its lock file\n\n`node:sqlite` is enough, so no new dependency.',
};

const SCHEMA: TurnScript = {
  ask: 'Good. Start with the schema.',
  after: 130_000,
  steps: [
    {
      calls: [
        write(
          'src/store/schema.sql',
          'CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL);\nCREATE TABLE invoices (\n  id TEXT PRIMARY KEY,\n  customer TEXT NOT NULL REFERENCES customers(id),\n  issued_at INTEGER NOT NULL,\n  paid INTEGER NOT NULL DEFAULT 0\n);\nCREATE TABLE lines (\n  invoice TEXT NOT NULL REFERENCES invoices(id) ON DELETE CASCADE,\n  position INTEGER NOT NULL,\n  text TEXT NOT NULL,\n  cents INTEGER NOT NULL,\n  PRIMARY KEY (invoice, position)\n);\nCREATE INDEX invoices_by_customer ON invoices(customer, issued_at);\n',
        ),
        bash(
          "node -e \"const{DatabaseSync}=require('node:sqlite');const d=new DatabaseSync(':memory:');d.exec(require('fs').readFileSync('src/store/schema.sql','utf8'));console.log('schema ok')\"",
          'schema ok',
          { takes: 310 },
        ),
      ],
    },
  ],
  answer: 'The schema is in `src/store/schema.sql` and loads. Amounts are integer cents; dates are epoch milliseconds.',
};

const BENCHMARK: TurnScript = {
  ask: 'Benchmark it against the JSON store.',
  after: 60_000,
  steps: [
    {
      calls: [
        bash(
          'node bench/store.mjs',
          'json    findOpen        812 ms\nsqlite  findOpen          3 ms\njson    save            905 ms\nsqlite  save              1 ms\njson    rss             388 MB\nsqlite  rss              71 MB',
          {
            takes: 21_000,
            description: 'Run the store benchmark',
          },
        ),
      ],
    },
  ],
  answer:
    '| | JSON | SQLite |\n|---|---|---|\n| findOpen | 812 ms | 3 ms |\n| save | 905 ms | 1 ms |\n| memory | 388 MB | 71 MB |',
};

const REMOVAL: TurnScript = {
  ask: 'Great. Delete the old store.',
  after: 42_000,
  steps: [
    { calls: [bash('git rm -q src/store/json-store.ts src/store/lock.ts && npx tsc --noEmit', '', { takes: 5_600 })] },
    { calls: [bash('npm test --silent', ' Test Files  36 passed (36)\n      Tests  488 passed (488)', { takes: 14_800 })] },
  ],
  answer: 'The JSON store and its lock are gone, types and all 488 tests are clean.',
};
