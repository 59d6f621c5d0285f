import { forkLog } from '../fork-log.ts';
import { LogBuilder, type Version } from '../log-builder.ts';
import { bash, edit, play, read, write } from './script.ts';

const WEB = '/home/mei/projects/报表前端';

/** Chinese conversation, in a project whose folder is not ASCII. */
export function safariTable(createdAt: number): LogBuilder {
  const log = new LogBuilder({
    version: 4,
    id: 'session-a1f3c5e7-2b4d-4e6f-8a9c-0b1d2e3f4a70',
    cwd: WEB,
    createdAt,
    system: '你是终端里的编程助手。先验证，再修改，最后说明做了什么。',
    tokensPerCharacter: 2,
  });
  log.setUp();
  play(log, [
    {
      ask: '表格在 Safari 下错位：冻结的第一列和后面的行高不一致。帮我找原因。',
      after: 0,
      steps: [
        {
          thinks: '冻结列用的是两张表叠在一起，行高靠脚本同步。Safari 对小数像素的取整方式不同，可能差一个像素。',
          says: '我先看冻结列的实现，再量一下两边的行高。',
          calls: [
            read(
              'src/table/frozen.ts',
              'export function syncHeights(left: Row[], right: Row[]): void {\n  left.forEach((row, i) => {\n    row.style.height = `${right[i].offsetHeight}px`\n  })\n}',
            ),
            bash(
              'npx playwright test --project=webkit -g 冻结列',
              '  1) [webkit] › 冻结列 › 行高一致\n     Expected: 32.5\n     Received: 33',
              { exit: 1, takes: 9_800 },
            ),
          ],
        },
        {
          says: '`offsetHeight` 会取整，右表的实际高度是 32.5 像素。改用 `getBoundingClientRect`。',
          calls: [
            edit('src/table/frozen.ts', 'right[i].offsetHeight', 'right[i].getBoundingClientRect().height'),
            bash('npx playwright test --project=webkit --project=chromium -g 冻结列', '  2 passed (8.4s)', { takes: 10_100 }),
          ],
        },
      ],
      answer:
        '原因是取整：`offsetHeight` 返回整数，Safari 里右表每行实际是 32.5 像素，逐行累积就错位了。\n\n现在用 `getBoundingClientRect().height`，两个浏览器的测试都通过。',
    },
    {
      ask: '能不能干脆不用脚本同步？',
      after: 64_000,
      steps: [{ calls: [write('src/table/sticky.css', 'td:first-child {\n  position: sticky;\n  inset-inline-start: 0;\n}\n')] }],
      answer:
        '可以，用 `position: sticky` 就只剩一张表，行高天然一致。样式已经写在 `src/table/sticky.css`，要我把旧的实现删掉吗？',
    },
  ]);
  log.title('修复表格在 Safari 下的错位');
  return log;
}

/** The same small conversation in every format version, in a project of its own. */
export function cronParser(version: Version, createdAt: number): LogBuilder {
  const log = new LogBuilder({
    version,
    id: `session-cron-format-${String(version)}`,
    cwd: '/home/ann/work/cron-parser',
    createdAt,
    ...(version < 2 ? { agentPreset: 'code' } : {}),
  });
  log.setUp();
  play(log, [
    {
      ask: `Explain how "*/15 9-17 * * 1-5" is read. (format ${String(version)})`,
      after: 0,
      answer:
        'Every fifteen minutes, from 9:00 to 17:45, Monday to Friday. The five fields are minute, hour, day of month, month and day of week.',
    },
  ]);
  log.title(`Explain a cron line (v${String(version)})`);
  play(log, [
    {
      ask: 'Write a parser for one field, with tests.',
      after: 41_000,
      steps: [
        {
          thinks: 'A field is a list of parts; a part is *, a number or a range, with an optional step.',
          calls: [
            write(
              'field.js',
              'export function parseField(text, [low, high]) {\n  return text.split(",").flatMap((part) => {\n    const [range, step = "1"] = part.split("/")\n    const [from, to = from] = range === "*" ? [low, high] : range.split("-").map(Number)\n    return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step)\n  })\n}\n',
            ),
            bash('node --test', '# tests 9\n# pass 8\n# fail 1\n  "*/15 must not reach 60"', { exit: 1, takes: 800 }),
          ],
        },
        {
          calls: [
            edit('field.js', 'range.split("-").map(Number)', 'range.split("-").map((n) => Math.min(Number(n), high))'),
            bash('node --test', '# tests 9\n# pass 9\n# fail 0', { takes: 760 }),
          ],
        },
      ],
      answer: 'The parser handles lists, ranges and steps; nine tests pass.',
    },
  ]);
  return log;
}

/** A v0 fork, whose cut is a number in the header. */
export function cronFork(parent: LogBuilder, createdAt: number): LogBuilder {
  const end = parent.events.find((event) => event.type === 'turn/end');
  const child = forkLog(parent, end?.seq ?? 0, {
    id: 'session-cron-format-0-fork',
    cwd: '/home/ann/work/cron-parser',
    createdAt,
  });
  play(child, [
    { ask: 'And what does "@daily" mean?', after: 9_000, answer: 'It is short for `0 0 * * *`: every day at midnight.' },
  ]);
  return child;
}

/** A log of a plugin whose required event this reader does not know. */
export function pluginLog(createdAt: number): LogBuilder {
  const log = new LogBuilder({ version: 4, id: 'session-plugin-events', cwd: WEB, createdAt });
  play(log, [{ ask: '把部署状态记到日志里。', after: 0, answer: '好的，部署插件会写入它自己的事件。' }]);
  log.push('deploy/stage', { stage: 'canary', percent: 5 }, { ignorable: true });
  log.push('deploy/gate', { stage: 'production', approvedBy: 'mei' });
  play(log, [{ ask: '现在上线了吗？', answer: '上线了，比例是 5%。' }]);
  log.title('部署状态');
  return log;
}
