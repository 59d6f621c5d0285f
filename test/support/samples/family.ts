import { LogBuilder, type CallSpec } from '../log-builder.ts';
import { bash, grep, play, read, write } from './script.ts';

/** A parent that hands work to subagents, and the children: one done, one still going, one failed. */
export function errorAudit(createdAt: number, cwd: string): readonly LogBuilder[] {
  const parent = new LogBuilder({
    version: 4,
    id: 'session-2f6d9e31-b7f2-4f3b-8a5b-1c1f0d3f7b20',
    cwd,
    createdAt,
    tokensPerCharacter: 2,
  });
  parent.setUp();
  parent.prompt('Audit all error messages: are they clear, do they say what to do next? Split the work by folder.');
  parent.title('Audit the error messages');
  const children = CHILDREN.map((child, i) => ({
    ...child,
    id: `session-${child.tail}`,
    createdAt: createdAt + 9_000 + i * 400,
  }));
  parent.work({
    reasoning:
      'Three folders throw errors: api, billing, import. They are independent, so three children can look at them in parallel.',
    text: 'I hand the three folders to three children.',
    calls: children.map(({ label, prompt, report, id, createdAt: childCreatedAt, mode }): CallSpec => ({
      name: 'subagent',
      args: { label, prompt },
      result: report,
      takes: 14_000,
      during: () => parent.emit('subagent/catalog', { version: 1, childId: id, childCreatedAt, mode, label }),
      ...(report.startsWith('Error') ? { error: { name: 'SubagentFailedError', code: 'SUBAGENT_FAILED' } } : {}),
    })),
  });
  parent.reply(
    'Two folders are done, one child gave up:\n\n- **api**: 9 of 14 messages name no cause; a table with better wording is in `docs/errors-api.md`.\n- **billing**: still being looked at in the background.\n- **import**: the child hit the output limit; I would split it by file format.',
  );
  parent.inject('The child "billing errors" has ended.\n\n6 messages reworded.', 'subagent-settled', {
    form: 'notice',
    senderSessionId: children[1]?.id,
    summary: 'billing errors ended',
  });
  play(parent, [
    {
      ask: 'What did the billing child find?',
      after: 160_000,
      answer:
        'Six messages that blamed the customer for a failed connection. They now say which service did not answer and when the next attempt is made.',
    },
  ]);

  return [
    parent,
    ...children.map(({ id, createdAt: start, label, prompt, work, mode, end }) => {
      const child = new LogBuilder({
        version: 4,
        id,
        cwd,
        createdAt: start,
        parentSession: parent.header.id,
        origin: 'subagent',
        delegationDepth: 1,
        system: 'You are a child agent. Do the one task you are given and report.',
      });
      child.endSeed();
      child.emit('subagent/descriptor', {
        mode,
        version: 3,
        provider: 'spawn',
        label,
        agentProvider: 'deepseek-official',
        agentModel: 'deepseek-v4',
      });
      child.emit('approval/policy', { policy: 'never', source: 'delegation' });
      child.startTurn().startStep().system('You are a child agent. Do the one task you are given and report.');
      child.inject(prompt, 'agent-message', { form: 'relay', senderSessionId: parent.header.id });
      child.request();
      for (const step of work) child.work({ calls: step });
      if (end === 'max-tokens') {
        child.startStep().answer({ text: 'The importer has four formats, and each of them', finish: { kind: 'max-tokens' } });
        child.endTurn({ kind: 'max-tokens' });
      } else child.reply(end);
      return child;
    }),
  ];
}

const CHILDREN = [
  {
    tail: '7a0e4a3c-0a47-4b1f-9d6e-6f1f54b38c21',
    label: 'api errors',
    mode: 'one-shot',
    prompt: 'Read every error thrown below src/api and judge its message.',
    report: '9 of 14 messages name no cause. Better wording is in docs/errors-api.md.',
    work: [
      [
        grep('throw new', 'src/api', [
          "src/api/invoices.ts:31: throw new ApiError('bad request')",
          "src/api/auth.ts:12: throw new ApiError('no')",
        ]),
      ],
      [
        write(
          'docs/errors-api.md',
          '| now | better |\n|---|---|\n| bad request | The invoice has no customer. Add one and send it again. |\n',
        ),
      ],
    ],
    end: 'Nine of fourteen messages name no cause. A table with better wording is in docs/errors-api.md.',
  },
  {
    tail: '90b3f2d8-4f25-4f60-8b58-3c1f6b1d2c22',
    label: 'billing errors',
    mode: 'continuable',
    prompt: 'Read every error thrown below src/billing and reword what blames the customer.',
    report: 'Running in the background.',
    work: [
      [
        grep('throw new', 'src/billing', ["src/billing/run.ts:77: throw new Error('customer failed')"]),
        read('src/billing/run.ts', "if (!reply.ok) throw new Error('customer failed')"),
      ],
      [
        bash(
          "git commit -qam 'Reword billing errors' && git show --stat | tail -1",
          ' 3 files changed, 18 insertions(+), 18 deletions(-)',
          { takes: 420 },
        ),
      ],
    ],
    end: '6 messages reworded.',
  },
  {
    tail: 'b1d5c6e7-9c58-4a0e-b1f4-1f1d4a7e2c23',
    label: 'import errors',
    mode: 'one-shot',
    prompt: 'Read every error thrown below src/import and judge its message.',
    report: 'Error: the child stopped at its output limit.',
    work: [
      [
        grep(
          'throw new',
          'src/import',
          Array.from(
            { length: 12 },
            (_, i) => `src/import/format-${String(i % 4)}.ts:${String(20 + i)}: throw new ImportError('line ${String(i)}')`,
          ),
        ),
      ],
    ],
    end: 'max-tokens',
  },
] as const;
