import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../support/log-builder.ts';
import type { Code } from './support/code.ts';
import { Home } from './support/home.ts';
import { until } from './support/until.ts';
import { withCode } from './support/with-code.ts';

const home = new Home();
const options = { createdAt: Date.UTC(2026, 10, 20, 8, 30), cwd: home.workspace, system: '请简短回答。' };
const log = new LogBuilder({ version: 4, id: '1', ...options });
log.prompt('有哪些模块？');
log.title('模块与速度');
log.reply('一共三个：读取、解析、写入。');
log.prompt('哪个最慢？');
log.reply('解析。');
log.compact('用户询问了模块；解析最慢。');
log.prompt('请加快。');
log.reply('现在快了。');
let code: Code;

withCode(home, async (start) => {
  await home.write(log);
  code = await start({
    locale: 'zh-cn',
    settings: { 'diffEditor.hideUnchangedRegions.enabled': false, 'diffEditor.renderSideBySide': true },
  });
  await code.page.setViewportSize({ width: 1500, height: 1300 });
  await code.openSideBar('DSH 会话');
  await code.row(/模块与速度/).waitFor();
});

/** Words of the format and of names, which are the same in every language. */
const names =
  /deepseek[\w/-]*|system-prompt|compact-checkpoint|runtime-context|\b(?:Shift|dsh|DSH|system|user|assistant|tool|token|tokens|zstd|assistant\/message)\b|\bv4\b/g;
/** English words in a sentence of ours, but for {@link names} and the paths of this test. */
const english = (text: string): string[] =>
  text
    .replaceAll(home.sessions, '')
    .replaceAll(/--[\w-]+--/g, '')
    .replace(names, '')
    .match(/[A-Za-z]{2,}/g) ?? [];

const texts = async (locator: Locator): Promise<string> => (await locator.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');

const openTimeline = (): Promise<void> => code.openTimeline(/模块与速度/, 'DSH 会话');

/** Text of one side of the visible diff. */
const side = (name: 'original' | 'modified'): Promise<string> =>
  texts(code.page.locator(`.monaco-diff-editor .editor.${name} .view-lines`));

describe('in Chinese', () => {
  it('a fork is asked for, written and announced', async () => {
    await openTimeline();
    await code.chooseFrom(code.timelineRows(/^轮次 1:/), '从此处分叉');
    await code.dialog.waitFor();
    const asked = (await code.dialog.locator('.dialog-message-container').innerText()).replaceAll('\u00a0', ' ');
    const end = log.events.findIndex(({ type }) => type === 'turn/end');
    expect(asked).toContain(`在 #${String(end)} 处分叉“模块与速度”？`);
    expect(asked).toContain(`轮次 1 结束处：复制 1 个轮次、${String(end + 1)} 个事件。`);
    expect(asked).toContain('本会话保持不变，并成为其父会话。');
    expect(english(asked)).toEqual([]);
    await code.screenshot('chinese-fork');
    await code.dialog.getByRole('button', { name: '分叉', exact: true }).click();
    const notice = code.page.locator('.notifications-toasts .notification-list-item');
    await notice.filter({ hasText: '已在' }).waitFor();
    for (const name of ['打开时间线', '与父会话比较', '复制 ID']) await notice.getByRole('button', { name }).waitFor();
    expect(english(await texts(notice.locator('.notification-list-item-message')))).toEqual([]);
    await code.runCommand('Notifications: Clear All Notifications');
  });

  it('a place that is none is explained, with the nearest', async () => {
    await openTimeline();
    await code.chooseFrom(code.timelineRows(/^步骤 1\.1:/), '从此处分叉');
    await code.quickInput.getByRole('option', { name: /在此处，并像 dsh 那样关闭未结束的轮次 1/ }).waitFor();
    const reason = (await code.quickInputBox.getAttribute('placeholder')) ?? '';
    expect(reason).toMatch(/^#\d+ 位于轮次 1 内，该轮次在此处尚未结束$/);
    expect(english(await texts(code.quickInput.getByRole('option')))).toEqual([]);
    await code.screenshot('chinese-nearest');
    await code.page.keyboard.press('Escape');
    await code.quickInput.waitFor({ state: 'hidden' });
  });

  it('two points are compared', async () => {
    await openTimeline();
    await code.chooseFrom(code.timelineRows(/^轮次 1:/), '选择以进行比较');
    await code.chooseFrom(code.timelineRows(/^轮次 2:/), '与已选项比较');
    await code.tab(/推导历史/).waitFor();
    await until('both sides', async () => /读取、解析/.test(await side('original')) && /哪个最慢/.test(await side('modified')));
    const left = await side('original');
    for (const words of ['比较：', '消息数：', 'token 数：', '两侧都有：', '首个差异：', '=== #5 · user · 真人 ==='])
      expect(left).toContain(words);
    expect(english(left)).toEqual([]);
    expect(english(await side('modified'))).toEqual([]);
    await code.screenshot('chinese-compare');
  });

  it('what a compaction removed is listed', async () => {
    await openTimeline();
    await code.chooseFrom(code.timelineRows(/^检查点/), '此次压缩移除了什么？');
    const options = code.quickInput.getByRole('option');
    await options.first().waitFor();
    expect(english(await texts(options))).toEqual([]);
    await code.screenshot('chinese-removed');
    await code.page.keyboard.press('Escape');
    await code.quickInput.waitFor({ state: 'hidden' });
  });

  it('a replay is played and verified', async () => {
    await openTimeline();
    await code.chooseFrom(code.timelineRows(/^轮次 2:/), '从此处回放');
    const bar = code.webview.locator('dsh-replay-bar section');
    await bar.getByText('正在回放日志，不执行任何操作').waitFor();
    await bar.getByRole('radio', { name: '32 倍' }).click();
    await bar.getByRole('button', { name: '播放 (空格)' }).click();
    await bar.getByText('个回答与其片段拼成的内容一致').waitFor({ timeout: 60_000 });
    await bar.getByText('推导的历史一致').waitFor();
    const labels = await bar
      .locator('[aria-label], [title]')
      .evaluateAll((all) => all.flatMap((one) => [one.ariaLabel ?? '', one.getAttribute('title') ?? '']));
    expect(english([await bar.innerText(), ...labels].join('\n'))).toEqual([]);
    await code.screenshot('chinese-replay');
  });

  it('nothing failed and nothing left this machine', () => {
    expect(code.errors).toEqual([]);
    expect(code.network.foreign).toEqual([]);
    expect(code.server.network().attempts).toEqual([]);
  });
});
